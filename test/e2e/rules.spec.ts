import { ObjectId } from 'mongodb';
import { COMMENT_REMOVAL_EXPIRED } from '../../src/comments/comments.events.js';
import { POST_REMOVAL_EXPIRED } from '../../src/posts/posts.events.js';
import { CONTENT_FLAGGED } from '../../src/rules/rules.events.js';
import { STANDING_CHANGED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { drainActivity } from '../support/verbs.js';

const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
const { world } = app;
let author: Person;
let reader: Person;
let moderator: Person;
let admin: Person;
let made = 0;

/** Returns a word that no other test uses. */
const newWord = (): string => `zq${(++made).toString(36)}word`;
const path = (id = ''): string => `/v1/moderation/rules${id && `/${id}`}`;
const writePost = (content: string, fields: object = {}, by = author) =>
  app.client.post('/v1/posts', { token: by.token, body: { title: 'Notes', type: 'article', content, ...fields } });
const editPost = (id: string, body: object, by = author) =>
  app.client.patch(`/v1/posts/${id}`, { token: by.token, body });
const statusFor = async (address: string, by?: Person) => (await app.client.get(address, { token: by?.token })).status;
const listedIds = async (): Promise<string[]> =>
  (await app.client.get(`/v1/users/${author.username}/posts`)).body.data.map(({ id }: { id: string }) => id);
const hitsOf = async (id: string): Promise<any[]> =>
  (await app.client.get(`${path(id)}/hits`, { token: admin.token })).body.data;
const untilHits = (id: string, count: number): Promise<any[]> =>
  until(async () => {
    const hits = await hitsOf(id);
    return hits.length === count ? hits : null;
  });
const caseOf = async (id: string) => {
  await runTasks(app, [CONTENT_FLAGGED]);
  return app.client.get(`/v1/moderation/cases/${id}`, { token: moderator.token });
};
const kindsOf = async ({ token }: Person): Promise<string[]> => {
  await drainActivity(app);
  const { data } = (await app.client.get('/v1/notifications', { token })).body;
  return data.map(({ kind }: { kind: string }) => kind);
};
const act = async (body: object) => {
  const fields = { reasonCode: 'other', publicReason: 'Reviewed.', ...body };
  return (await app.client.post('/v1/moderation/actions', { token: moderator.token, body: fields })).status;
};

beforeAll(async () => {
  moderator = await world.person({ role: 'moderator' });
  admin = await world.person({ role: 'admin' });
});
beforeEach(async () => {
  [author, reader] = await world.people(2);
});

describe('the rules of a site', () => {
  const send = (method: 'post' | 'patch' | 'delete', address: string, body?: object) =>
    app.client[method](address, { token: admin.token, ...(body && { body }) });
  const draft = () => ({ kind: 'word', value: newWord(), action: 'report', scope: ['post'] });

  it('are created, listed latest first, updated and deleted, each with a row of the log', async () => {
    const [first, second] = [draft(), { ...draft(), isDryRun: true }];
    const created = [await send('post', path(), first), await send('post', path(), second)];
    const [one, two] = created.map(({ body }) => body.id);
    const page = await app.client.get(`${path()}?limit=1`, { token: admin.token });
    const next = await app.client.get(`${path()}?limit=1&cursor=${page.body.page.nextCursor}`, { token: admin.token });

    const updated = await send('patch', path(one), { action: 'reject' });
    const deleted = await send('delete', path(two));

    expect(created.map(({ status }) => status)).toEqual([201, 201]);
    expect([page.body.data[0], next.body.data[0]]).toMatchObject([
      { id: two, ...second },
      { id: one, ...first, isDryRun: false },
    ]);
    expect([updated.status, updated.body]).toMatchObject([200, { ...first, action: 'reject' }]);
    expect([deleted.status, (await send('delete', path(two))).status, (await hitsOf(one)).length]).toEqual([
      204, 404, 0,
    ]);
    const log = (await app.client.get(`/v1/admin/log?actorId=${admin.id}&limit=4`, { token: admin.token })).body.data;
    expect(log.map(({ kind, targetKind, targetId, detail }: any) => [kind, targetKind, targetId, detail])).toEqual([
      ['delete_rule', 'rule', two, 'word, report, dry run'],
      ['change_rule', 'rule', one, 'word, reject'],
      ['create_rule', 'rule', two, 'word, report, dry run'],
      ['create_rule', 'rule', one, 'word, report'],
    ]);
    await send('delete', path(one));
  });

  it('have different values or actions', async () => {
    const rule = draft();
    const id = await world.rule({ value: rule.value, scope: ['profile'] });
    const other = { ...rule, action: 'reject' };

    expectProblem(await send('post', path(), { ...rule, value: rule.value.toUpperCase() }), 409, 'rule_exists');
    const created = await send('post', path(), other);
    expect(created.status).toBe(201);
    expectProblem(await send('patch', path(created.body.id), { action: 'report' }), 409, 'rule_exists');

    for (const one of [id, created.body.id]) await send('delete', path(one));
  });

  it.each([
    ['a word without letters', { value: '!?' }, 'value'],
    ['a word of two words', { value: 'two words' }, 'value'],
    ['a domain with a path', { kind: 'domain', value: 'shop.example/x' }, 'value'],
    ['a domain without a dot', { kind: 'domain', value: 'shop' }, 'value'],
    ['profiles that are held', { action: 'hold', scope: ['profile'] }, 'scope'],
    ['no scope', { scope: [] }, 'scope'],
    ['a long value', { value: 'x'.repeat(201) }, 'value'],
  ])('may not have %s', async (_, fields, field) => {
    const response = await send('post', path(), { ...draft(), ...fields });

    expectProblem(response, 400, 'invalid_input', { errors: [expect.objectContaining({ field })] });
  });
});

describe('a rule that rejects', () => {
  it.each([
    ['title', (word: string) => ({ title: word })],
    ['tags', (word: string) => ({ tags: [word] })],
    ['content', (word: string) => ({ content: `a ${word}` })],
    ['content', (word: string) => ({ content: `${'long '.repeat(10_000)}${word}` })],
  ])('names the %s of a post, not the rule', async (field, fieldsOf) => {
    const word = newWord();
    const id = await world.rule({ value: word, action: 'reject' });
    const fields = fieldsOf(word);
    const post = await world.post({ by: author });

    const created = await writePost('Fine.', fields);
    const edited = await editPost(post.id, fields);

    for (const response of [created, edited]) {
      expectProblem(response, 422, 'content_rejected', { errors: [expect.objectContaining({ field })] });
      expect(JSON.stringify(response.body)).not.toContain(word);
    }
    expect(await listedIds()).toEqual([post.id]);
    const about = { targetKind: 'post', userId: author.id, at: expect.any(String) };
    expect(await untilHits(id, 2)).toEqual([
      { ...about, targetId: post.id },
      { ...about, targetId: expect.any(String) },
    ]);
  });

  it('applies to new and edited comments, and to profiles', async () => {
    const word = newWord();
    const broken = `${word.slice(0, 3)}&zwj;${word.slice(3)}`;
    await world.rule({ value: word, action: 'reject', scope: ['comment', 'profile'] });
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: post.id });
    const { token } = reader;

    const created = await app.client.post(`/v1/posts/${post.id}/comments`, { token, body: { content: broken } });
    const edited = await app.client.patch(`/v1/comments/${comment.id}`, { token, body: { content: word } });
    const profile = await app.client.patch('/v1/users/me', { token, body: { bio: word, headline: 'Fine.' } });
    const links = [{ title: word, url: 'https://a.example/' }];
    const link = await app.client.patch('/v1/users/me', { token, body: { links } });

    const fields = ['content', 'content', 'bio', 'links'];
    for (const [at, response] of [created, edited, profile, link].entries())
      expectProblem(response, 422, 'content_rejected', { errors: [expect.objectContaining({ field: fields[at] })] });
    expect((await writePost(word)).status).toBe(201);
  });

  it('matches look-alikes, other scripts and links to subdomains', async () => {
    const domain = `${newWord()}.example`;
    await world.rule({ value: domain, kind: 'domain', action: 'reject' });
    await world.rule({ value: 'zqcasino', action: 'reject' });
    await world.rule({ value: 'שלום עולם', kind: 'phrase', action: 'reject' });

    const texts = [`[a](https://www.${domain}/x)`, `https:\\/\\/${domain}`, 'zqсаs1nо', 'zqca\u0301sino', 'שלום, עולם'];
    texts.push('zqca<b></b>sino', `<a href="https://${domain.slice(0, 3)}&#9;${domain.slice(3)}">a</a>`);
    const statuses = [];
    for (const text of texts) statuses.push((await writePost(text)).status);
    statuses.push((await writePost(`the words ${domain}`)).status, (await writePost('שלום לכל העולם')).status);

    expect(statuses).toEqual([...texts.map(() => 422), 201, 201]);
  });

  it('reads no text of 10 MB', async () => {
    const word = newWord();
    const id = await world.rule({ value: word, action: 'reject' });

    const response = await writePost(`${word} `.repeat(1_000_000));

    expect([response.status, await hitsOf(id)]).toEqual([413, []]);
  });

  it('ignores private posts until they are published', async () => {
    const word = newWord();
    await world.rule({ value: word, action: 'reject' });
    const { body } = await writePost(`${word.slice(0, 3)}<b></b>${word.slice(3)}`, { visibility: 'private' });

    const [edited, unlisted] = [
      await editPost(body.id, { title: word }),
      await editPost(body.id, { visibility: 'unlisted' }),
    ];

    expect([edited.status, unlisted.status, unlisted.body.code]).toEqual([200, 422, 'content_rejected']);
    expect(await statusFor(`/v1/posts/${body.id}`)).toBe(404);
  });

  it('keeps a draft that cannot be published', async () => {
    const word = newWord();
    await world.rule({ value: word, action: 'reject' });
    const { token } = author;
    const body = { title: 'Notes', type: 'article', content: word };
    const draft = await app.client.post('/v1/drafts', { token, body });

    const published = await app.client.post(`/v1/drafts/${draft.body.id}/publish`, { token });

    expectProblem(published, 422, 'content_rejected');
    expect(await statusFor(`/v1/drafts/${draft.body.id}`, author)).toBe(200);
  });
});

describe('a rule that holds', () => {
  it('removes a new post with a case, and a moderator releases it', async () => {
    const word = newWord();
    const id = await world.rule({ value: word, action: 'hold' });

    const { status, body: post } = await writePost(`a ${word} for @${reader.username}`);

    expect([status, post]).toMatchObject([
      201,
      { isPublic: false, removal: { reason: expect.stringContaining('review') } },
    ]);
    const [address, caseId] = [`/v1/posts/${post.id}`, `post-${post.id}`];
    const viewers = [undefined, reader, author, moderator];
    expect(await Promise.all(viewers.map((by) => statusFor(address, by)))).toEqual([404, 404, 200, 200]);
    expect(await listedIds()).toEqual([]);
    expectProblem(await editPost(post.id, { visibility: 'public' }), 409, 'post_removed');
    const [own] = (await app.client.get('/v1/users/me/moderation', { token: author.token })).body.data;
    const action = { id: post.removal.actionId, kind: 'remove', actorId: null, actorRole: 'system' };
    expect(own).toMatchObject({ ...action, targetId: post.id, canAppeal: true });
    const opened = await caseOf(caseId);
    expect(opened.body).toMatchObject({
      ...{ state: 'open', weight: 1, reportsCount: 1, ownerId: author.id, reasons: [{ reason: 'other', count: 1 }] },
      reports: [{ reporterId: null, note: `The rule for the word "${word}" matched content.` }],
      ...{ reported: { title: 'Notes' }, actions: [{ id: own.id }] },
    });
    expect([await kindsOf(author), await kindsOf(reader)]).toEqual([['moderation'], []]);
    expect(await untilHits(id, 1)).toMatchObject([{ targetKind: 'post', targetId: post.id, userId: author.id }]);

    expect(await act({ kind: 'restore', targetKind: 'post', targetId: post.id, caseId })).toBe(201);

    const released = await app.client.get(address);
    expect([released.body.isPublic, 'removal' in released.body, await listedIds()]).toEqual([true, false, [post.id]]);
    expect(Date.parse(released.body.createdAt)).toBeGreaterThan(Date.parse(post.createdAt));
    expect((await caseOf(caseId)).body).toMatchObject({ state: 'closed', outcome: 'acted' });
    expect(await kindsOf(reader)).toEqual(['mention']);
  });

  it('removes a public post whose edit matches, and keeps the edit', async () => {
    const word = newWord();
    await world.rule({ value: word, kind: 'phrase', action: 'hold' });
    const post = await world.post({ by: author });

    const edited = await editPost(post.id, { title: `A ${word}` });
    const again = await editPost(post.id, { content: word });

    expect([edited.body, again.status]).toMatchObject([{ title: `A ${word}`, isPublic: false, removal: {} }, 200]);
    expect([await statusFor(`/v1/posts/${post.id}`), await listedIds()]).toEqual([404, []]);
    const { body } = await caseOf(`post-${post.id}`);
    expect(body.reports.map(({ note }: any) => note)).toEqual([`The rule for the phrase "${word}" matched title.`]);
    expect(await act({ kind: 'restore', targetKind: 'post', targetId: post.id })).toBe(201);
    expect([await listedIds(), (await editPost(post.id, { type: 'note' })).body.removal]).toEqual([
      [post.id],
      undefined,
    ]);
    expect((await editPost(post.id, { content: `${word} again` })).body.removal).toBeDefined();
  });

  it('removes a private post when it is published, and restores the requested visibility', async () => {
    const word = newWord();
    await world.rule({ value: word, action: 'hold' });
    const { body: post } = await writePost(word, { visibility: 'private' });

    const { body } = await editPost(post.id, { visibility: 'unlisted' });

    expect([post.removal, body.visibility, body.removal]).toEqual([undefined, 'private', expect.anything()]);
    expect(await act({ kind: 'restore', targetKind: 'post', targetId: post.id })).toBe(201);
    expect((await app.client.get(`/v1/posts/${post.id}`, { token: author.token })).body.visibility).toBe('unlisted');
  });

  it('makes a comment a tombstone, and notifies others only when it is released', async () => {
    const word = newWord();
    await world.rule({ value: word, action: 'hold' });
    const post = await world.post({ by: author });
    const comments = `/v1/posts/${post.id}/comments`;
    const countOf = async () => (await app.client.get(`/v1/posts/${post.id}`)).body.stats.commentsCount;

    const key = { 'idempotency-key': new ObjectId().toHexString() };
    const request = { token: reader.token, body: { content: word }, headers: key };
    const held = await app.client.post(comments, request);
    const again = await app.client.post(comments, request);

    expect([held.status, held.body]).toMatchObject([201, { content: word, removal: { reason: expect.any(String) } }]);
    expect(again.body).toEqual(held.body);
    const [listed] = (await app.client.get(comments)).body.data;
    expect([listed, await countOf()]).toMatchObject([{ id: held.body.id, isDeleted: true, content: null }, 0]);
    expect((await caseOf(`comment-${held.body.id}`)).body).toMatchObject({ state: 'open', reported: { text: word } });
    expect([await kindsOf(author), await kindsOf(reader)]).toEqual([[], ['moderation']]);

    expect(await act({ kind: 'restore', targetKind: 'comment', targetId: held.body.id })).toBe(201);

    expect([(await app.client.get(comments)).body.data[0], await countOf()]).toMatchObject([{ content: word }, 1]);
    expect(await kindsOf(author)).toEqual(['comment']);
  });

  it('makes an edited comment a tombstone', async () => {
    const word = newWord();
    await world.rule({ value: word, action: 'hold' });
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: post.id });

    const edited = await app.client.patch(`/v1/comments/${comment.id}`, {
      token: reader.token,
      body: { content: word },
    });

    expect([edited.status, edited.body]).toMatchObject([200, { content: word, removal: {} }]);
    expect((await app.client.get(`/v1/comments/${comment.id}`)).body).toMatchObject({ isDeleted: true, content: null });
  });

  it('deletes what no moderator releases', async () => {
    const word = newWord();
    await world.rule({ value: word, action: 'hold' });
    const post = await world.post({ by: author });
    await writePost(word);
    await world.comment({ by: reader, on: post.id, content: word });

    const tasks = await app.db
      .collection('tasks')
      .find({ topic: { $in: [POST_REMOVAL_EXPIRED.name, COMMENT_REMOVAL_EXPIRED.name] } })
      .sort({ _id: -1 })
      .limit(2)
      .toArray();

    const days = tasks.map(({ dueAt }) => Math.round((dueAt.getTime() - Date.now()) / 86_400_000));
    expect(days).toEqual([30, 30]);
  });
});

describe('a rule that reports', () => {
  it('opens one case for any number of edits, and opens it again after a dismissal', async () => {
    const [word, other] = [newWord(), newWord()];
    await world.rule({ value: word });
    await world.rule({ value: other });
    const { status, body: post } = await writePost(word);
    await editPost(post.id, { content: `${word} edited` });
    await editPost(post.id, { content: `${word} ${other}` });
    const caseId = `post-${post.id}`;

    const opened = await caseOf(caseId);
    await app.client.post(`/v1/moderation/cases/${caseId}/dismiss`, { token: moderator.token, body: {} });
    const dismissed = await caseOf(caseId);
    await editPost(post.id, { content: `${word} edited again` });
    const again = await caseOf(caseId);

    expect([status, await statusFor(`/v1/posts/${post.id}`)]).toEqual([201, 200]);
    const shown = [opened, dismissed, again].map(({ body }) => [body.state, body.reportsCount, body.weight]);
    expect(shown).toEqual([
      ['open', 2, 2],
      ['closed', 2, 2],
      ['open', 1, 1],
    ]);
  });

  it('reports profiles and comments', async () => {
    const word = newWord();
    await world.rule({ value: word, scope: ['comment', 'profile'] });
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: post.id, content: word });
    await app.client.patch('/v1/users/me', { token: reader.token, body: { fullName: `Ms ${word}` } });

    const cases = [await caseOf(`comment-${comment.id}`), await caseOf(`user-${reader.id}`)];

    expect(cases.map(({ body }) => [body.ownerId, body.reports.length])).toEqual([
      [reader.id, 1],
      [reader.id, 1],
    ]);
  });

  it('does nothing but store hits in a dry run, of which the latest 100 stay', async () => {
    const word = newWord();
    const id = await world.rule({ value: word, action: 'reject', isDryRun: true });
    const post = await world.post({ by: author });
    const ids: string[] = [];
    for (let at = 0; at < 102; at++) {
      const { id: commentId } = await world.comment({ by: reader, on: post.id, content: word });
      ids.unshift(commentId);
    }

    const hits = await until(async () => {
      const found = await hitsOf(id);
      return found[0]?.targetId === ids[0] && found.length === 100 ? found : null;
    });

    expect(new Set(hits.map(({ targetId }) => targetId))).toEqual(new Set(ids.slice(0, 100)));
    expect((await caseOf(`comment-${ids[0]}`)).status).toBe(404);
  });
});

describe('a rule that limits', () => {
  it('limits the author until a moderator lifts it, opens a case, and spares moderators', async () => {
    const word = newWord();
    await world.rule({ value: word, action: 'limit' });

    const { body, status } = await writePost(`The ${word} machine.`);
    const staff = await world.post({ by: moderator, content: `A note about ${word}.` });
    const { status: caseStatus } = await caseOf(`post-${body.id}`);
    await runTasks(app, [STANDING_CHANGED]);
    const limited = await listedIds();
    const [action] = (await app.client.get('/v1/users/me/moderation', { token: author.token })).body.data;
    expect(await act({ kind: 'lift', targetKind: 'user', targetId: author.id })).toBe(201);
    await runTasks(app, [STANDING_CHANGED]);

    expect([status, caseStatus, limited]).toEqual([201, 200, []]);
    expect(action).toMatchObject({ kind: 'limit', targetId: author.id, until: null, canAppeal: true });
    expect(await listedIds()).toEqual([body.id]);
    const { body: found } = await app.client.get(`/v1/users/${moderator.username}/posts`);
    expect(found.data.map(({ id }: { id: string }) => id)).toContain(staff.id);
  });
});

describe('after all of these texts', () => {
  it('every counter equals its rows', async () => {
    expect(await differences(app.db)).toEqual([]);
  });
});

describe('a rule for names and collections', () => {
  const addRule = async (value: string, action: string, scope: string[]) => {
    const body = { kind: 'word', value, action, scope };
    return app.client.post(path(), { token: admin.token, body });
  };

  it('rejects the names of a new account', async () => {
    const word = newWord();
    expect((await addRule(word, 'reject', ['profile'])).status).toBe(201);
    const register = (fields: object) => {
      const account = { email: `${newWord()}@example.org`, password: 'a long password', username: newWord() };
      return app.client.post('/v1/auth/register', { body: { ...account, fullName: 'Ada', ...fields } });
    };

    expectProblem(await register({ fullName: `Ada ${word}` }), 422, 'content_rejected');
    expectProblem(await register({ username: word }), 422, 'content_rejected');
    expect((await register({})).status).toBe(201);
  });

  it('reports the names of a new account', async () => {
    const word = newWord();
    await addRule(word, 'report', ['profile']);
    const account = { email: `${newWord()}@example.org`, password: 'a long password', username: newWord() };
    const registered = await app.client.post('/v1/auth/register', { body: { ...account, fullName: `Ada ${word}` } });

    expect((await caseOf(`user-${registered.body.user.id}`)).body).toMatchObject({ title: `Ada ${word}` });
  });

  it('rejects texts and notes of public collections, and of private ones when they are published', async () => {
    const word = newWord();
    expectProblem(await addRule(word, 'hold', ['collection']), 400, 'invalid_input');
    await addRule(word, 'reject', ['collection']);
    const post = await world.post({ by: reader });
    const collection = await world.collection({ by: author, posts: [post.id] });
    const hidden = await world.collection({ by: author, isPublic: false });
    const send = (method: string, address: string, body: object) =>
      app.client.request(method, `/v1/collections${address}`, { token: author.token, body });
    const note = { note: `A ${word}.` };

    expectProblem(await send('POST', '', { kind: 'list', title: word }), 422, 'content_rejected');
    expectProblem(await send('PATCH', `/${collection.id}`, { description: word }), 422, 'content_rejected');
    expectProblem(await send('PUT', `/${collection.id}/posts/${post.id}`, note), 422, 'content_rejected');
    expect((await send('PUT', `/${hidden.id}/posts/${post.id}`, note)).status).toBe(200);
    expectProblem(await send('PATCH', `/${hidden.id}`, { isPublic: true }), 422, 'content_rejected');
  });

  it('reports a note as a case about the notes of its collection', async () => {
    const word = newWord();
    await addRule(word, 'report', ['collection']);
    const post = await world.post({ by: reader });
    const { id } = await world.collection({ by: author });
    await app.client.put(`/v1/collections/${id}/posts/${post.id}`, {
      token: author.token,
      body: { note: `A ${word}.` },
    });

    expect((await caseOf(`note-${id}`)).body.reported.text).toContain(word);
  });
});
