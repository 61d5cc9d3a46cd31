// Adds over HTTP what the demo data of a release lacks. Returns the facts that a test needs to use the rows.

const DEMO_PASSWORD = 'opencanvas-demo-2025';
const DEMO = { writer: 'demo_writer', reader: 'demo_reader', moderator: 'demo_moderator', admin: 'demo_admin' };
const DAY_MS = 86_400_000;

/**
 * @param paths of the release's OpenAPI document: a release gets only the rows that it can have
 * @returns accounts with their secrets, ids by name, and requests with an Idempotency-Key and their first responses
 */
export async function addRows(url, paths) {
  const accounts = {};
  const ids = {};
  const repeatable = [];

  async function send(by, method, path, body, key) {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(by && { authorization: `Bearer ${accounts[by].accessToken}` }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }
  const can = (method, path) => paths[path]?.[method.toLowerCase()] !== undefined;
  const create = async (...request) => (await send(...request)).body.id;
  async function repeat(by, path, body) {
    const key = `release-dump-${repeatable.length + 1}`;
    const response = await send(by, 'POST', path, body, key);
    repeatable.push({ by, path, key, body, status: response.status, response: response.body });
    return response.body.id;
  }
  async function signIn(name, username, password) {
    const { body } = await send(null, 'POST', '/v1/auth/login', { login: username, password });
    const { accessToken, refreshToken, user } = body;
    accounts[name] = { id: user.id, username, password, accessToken, refreshToken };
  }
  const register = (username) =>
    send(null, 'POST', '/v1/auth/register', {
      ...{ username, email: `${username}@example.org`, password: 'a passphrase of 2026', fullName: 'Dana Dump' },
    });

  for (const [name, username] of Object.entries(DEMO)) await signIn(name, username, DEMO_PASSWORD);
  await register('dump_member');
  await signIn('member', 'dump_member', 'a passphrase of 2026');

  const text = (title) => ({ title, content: `# ${title}\n\nA post with **Markdown** and $x^2$.`, type: 'article' });
  ids.post = await repeat('writer', '/v1/posts', { ...text('Written by a release'), tags: ['release'] });
  ids.privatePost = await create('writer', 'POST', '/v1/posts', { ...text('Private in a release'), isPublic: false });
  ids.editedPost = await create('writer', 'POST', '/v1/posts', text('Edited in a release'));
  await send('writer', 'PATCH', `/v1/posts/${ids.editedPost}`, { content: 'The second version.' });
  ids.lockedPost = await create('writer', 'POST', '/v1/posts', text('Locked in a release'));
  await send('writer', 'PUT', `/v1/posts/${ids.lockedPost}/lock`);
  ids.deletedPost = await create('writer', 'POST', '/v1/posts', text('Deleted in a release'));
  await create('reader', 'POST', `/v1/posts/${ids.deletedPost}/comments`, { content: 'On a deleted post.' });
  await send('writer', 'DELETE', `/v1/posts/${ids.deletedPost}`);

  const comments = `/v1/posts/${ids.post}/comments`;
  ids.comment = await repeat('reader', comments, { content: 'The first comment, of @demo_writer.' });
  ids.deletedComment = await create('writer', 'POST', comments, { content: 'To be deleted.', parentId: ids.comment });
  ids.reply = await create('reader', 'POST', comments, { content: 'Stays.', parentId: ids.deletedComment });
  await send('writer', 'DELETE', `/v1/comments/${ids.deletedComment}`);

  await send('member', 'PUT', `/v1/posts/${ids.post}/vote`, { value: 'like' });
  await send('reader', 'PUT', `/v1/posts/${ids.post}/vote`, { value: 'dislike' });
  await send('member', 'PUT', `/v1/comments/${ids.comment}/vote`, { value: 'like' });
  await send('member', 'PUT', `/v1/posts/${ids.post}/save`);
  await send('member', 'PUT', '/v1/users/demo_writer/follow');
  await send('writer', 'PUT', '/v1/users/dump_member/follow');
  await send('member', 'POST', `/v1/posts/${ids.post}/events`, { kind: 'view' });

  ids.collection = await repeat('writer', '/v1/collections', { title: 'A list of a release', kind: 'list' });
  await send('writer', 'PUT', `/v1/collections/${ids.collection}/posts/${ids.post}`, { note: 'Read this first.' });
  await send('writer', 'PUT', `/v1/collections/${ids.collection}/posts/${ids.editedPost}`, {});
  await send('member', 'PUT', `/v1/collections/${ids.collection}/vote`, { value: 'like' });
  await send('member', 'PUT', `/v1/collections/${ids.collection}/follow`);

  ids.draft = await repeat('writer', '/v1/drafts', text('A draft of a release'));
  ids.scheduledDraft = await create('writer', 'POST', '/v1/drafts', text('A scheduled draft of a release'));
  const publishAt = new Date(Date.now() + 300 * DAY_MS).toISOString();
  await send('writer', 'PUT', `/v1/drafts/${ids.scheduledDraft}/schedule`, { publishAt });
  const token = { name: 'of a release', scopes: ['read', 'posts'], password: DEMO_PASSWORD };
  accounts.writer.apiToken = (await send('writer', 'POST', '/v1/auth/tokens', token)).body.token;

  if (can('PUT', '/v1/users/{username}/block')) {
    await send('reader', 'PUT', '/v1/users/dump_member/block');
    await send('writer', 'PUT', '/v1/users/demo_admin/mute', {});
    ids.filter = await create('reader', 'POST', '/v1/users/me/filters', {
      ...{ phrase: 'season finale', in: ['posts'], action: 'warn' },
    });
    await send('reader', 'PUT', `/v1/posts/${ids.lockedPost}/hide`);
    await send('member', 'PUT', `/v1/posts/${ids.post}/watch`, { level: 'watching' });
    await send('member', 'PUT', '/v1/users/demo_writer/bell');
    ids.unlistedPost = await create('writer', 'POST', '/v1/posts', { ...text('Unlisted'), visibility: 'unlisted' });
  }
  if (can('POST', '/v1/reports')) {
    const report = (targetKind, targetId) => ({ targetKind, targetId, reason: 'spam', note: 'In a release.' });
    await send('member', 'POST', '/v1/reports', report('post', ids.post));
    await send('member', 'POST', '/v1/reports', report('comment', ids.reply));
    await send('moderator', 'POST', `/v1/moderation/cases/comment-${ids.reply}/dismiss`, {});
    ids.invite = await create('admin', 'POST', '/v1/admin/invites', { note: 'of a release' });
  }
  if (can('POST', '/v1/moderation/actions')) {
    await register('dump_suspended');
    await signIn('suspended', 'dump_suspended', 'a passphrase of 2026');
    ids.removedPost = await create('writer', 'POST', '/v1/posts', text('Removed in a release'));
    const act = (kind, targetKind, targetId) =>
      send('moderator', 'POST', '/v1/moderation/actions', {
        ...{ kind, targetKind, targetId, reasonCode: 'spam', publicReason: 'An advertisement.' },
      });
    await act('remove', 'post', ids.removedPost);
    await act('suspend', 'user', accounts.suspended.id);
  }
  for (const account of Object.values(accounts)) delete account.accessToken;
  return { accounts, ids, repeatable };
}
