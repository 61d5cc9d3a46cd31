import { randomUUID } from 'node:crypto';
import { type Binary, ObjectId } from 'mongodb';
import { EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { UnusedMediaJob } from '../../src/media/unused-media.job.js';
import { ReceivedLikesService } from '../../src/users/received-likes.service.js';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { TINY_PNG, uploadPicture } from '../support/pictures.js';
import { runTasks } from '../support/tasks.js';
import { drainActivity, drainTasks } from '../support/verbs.js';

const EARLIER_NAME = 'earlier_name_7';
/** Occurs in every text of the account and in no other text. */
const MARK = 'Zyxwvut';

/**
 * Paths that still name a deleted account, by collection; docs/security.md has the reasons. A binary `_id` counts when its bytes
 * contain the id.
 */
const STAYS: Record<string, string[]> = {
  // The name stays reserved. All other fields of the profile are removed.
  users: ['_id', 'previousUsernames.0', 'username'],
  // Replies of other accounts need these tombstones.
  comments: ['authorId', 'mentions.0'],
  moderation_actions: ['ownerId', 'targetId'],
};
/** Rows with an id that expire within an hour or a day; closed cases after 30 days. */
const GOES_BY_ITSELF = new Set(['events', 'idempotency_keys', 'report_cases']);

const HELD = [
  ...['credentials', 'sessions', 'api_tokens', 'users', 'posts', 'comments', 'collections'],
  ...['interactions', 'follows', 'blocks', 'mutes', 'content_filters', 'idempotency_keys', 'exports', 'media'],
  ...['invites', 'reports', 'report_cases', 'moderation_actions', 'appeals'],
  ...['activity', 'notifications', 'notification_states', 'post_watches', 'bells'],
];

describe('the deletion of an account', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;

  it('leaves only the documented data of it in all collections', async () => {
    const [account, other] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const { token } = account;
    const done = async (who: string, method: string, path: string, body?: object, headers = {}) => {
      const answer = await app.client.request(method, path, { token: who, ...(body ? { body } : {}), headers });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const draft = { title: MARK, content: `${MARK}: a text of some length.`, type: 'article', tags: ['ends'] };
    await done(token, 'PATCH', '/v1/users/me', { username: EARLIER_NAME });
    await done(token, 'PATCH', '/v1/users/me', {
      username: account.username,
      bio: MARK,
      location: MARK,
      fullName: MARK,
    });
    const post = await done(token, 'POST', '/v1/posts', draft, { 'idempotency-key': randomUUID() });
    await done(token, 'POST', '/v1/posts', { ...draft, isPublic: false });
    await done(token, 'PUT', `/v1/users/me/featured/${post.id}`);
    const theirs = await done(other.token, 'POST', '/v1/posts', {
      ...draft,
      title: 'Of another',
      content: 'Not theirs.',
    });
    const comment = await done(token, 'POST', `/v1/posts/${theirs.id}/comments`, {
      content: `${MARK}, with an answer.`,
    });
    await done(other.token, 'POST', `/v1/posts/${theirs.id}/comments`, { content: 'It.', parentId: comment.id });
    await done(token, 'POST', `/v1/posts/${theirs.id}/comments`, { content: `${MARK}, without.` });
    await done(other.token, 'POST', `/v1/posts/${post.id}/comments`, { content: 'On theirs.' });
    await done(other.token, 'POST', `/v1/posts/${theirs.id}/comments`, { content: 'A mention.' }).then(({ id: of }) =>
      app.db
        .collection('comments')
        .updateOne({ _id: new ObjectId(of as string) }, { $set: { mentions: [account._id] } }),
    );
    for (const [a, b] of [
      [account, other],
      [other, account],
    ] as const) {
      const about = a === account ? theirs : post;
      await done(a.token, 'PUT', `/v1/posts/${about.id}/vote`, { value: 'like' });
      await done(a.token, 'PUT', `/v1/posts/${about.id}/save`);
      await done(a.token, 'PUT', `/v1/posts/${about.id}/hide`);
      await done(a.token, 'POST', `/v1/posts/${about.id}/events`, { kind: 'view' });
      await done(a.token, 'PUT', `/v1/users/${b.username}/follow`);
    }
    await done(other.token, 'PUT', `/v1/comments/${comment.id}/vote`, { value: 'like' });
    const list = await done(token, 'POST', '/v1/collections', { title: MARK, kind: 'list' });
    await done(token, 'PUT', `/v1/collections/${list.id}/posts/${theirs.id}`, {});
    const series = await done(token, 'POST', '/v1/collections', { title: 'Series', kind: 'series' });
    await done(token, 'PUT', `/v1/collections/${series.id}/posts/${post.id}`, {});
    const listOfOther = await done(other.token, 'POST', '/v1/collections', { title: 'Theirs', kind: 'list' });
    await done(other.token, 'PUT', `/v1/collections/${listOfOther.id}/posts/${post.id}`, {});
    await done(token, 'PUT', `/v1/collections/${listOfOther.id}/follow`);
    await done(other.token, 'PUT', `/v1/collections/${list.id}/vote`, { value: 'like' });
    const picture = (await uploadPicture(app, token, TINY_PNG)).body;
    await done(token, 'PATCH', `/v1/media/${picture.id}`, { alt: MARK });
    await done(token, 'PATCH', '/v1/users/me', { profilePicture: `https://api.example${picture.url}` });
    await done(token, 'PUT', `/v1/posts/${theirs.id}/watch`, { level: 'watching' });
    await done(token, 'PUT', `/v1/users/${other.username}/bell`);
    await done(other.token, 'PUT', `/v1/users/${account.username}/bell`);
    await done(token, 'PATCH', '/v1/notifications/settings', { from: 'everyone' });
    const stranger = await world.person();
    await done(token, 'PUT', `/v1/users/${stranger.username}/block`);
    await done(stranger.token, 'PUT', `/v1/users/${account.username}/block`);
    await done(token, 'PUT', `/v1/users/${stranger.username}/mute`, {});
    await done(stranger.token, 'PUT', `/v1/users/${account.username}/mute`, {});
    await world.contentFilter({ by: account, phrase: MARK });
    await drainActivity(app);
    // Writes a fact that the processor has not applied yet.
    await done(token, 'PUT', `/v1/collections/${listOfOther.id}/vote`, { value: 'like' });
    await world.apiToken({ by: account, scopes: ['read'] });
    await world.invite({ by: account });
    await world.report({ by: account, on: theirs.id });
    await world.report({ by: other, on: post.id });
    const actionId = await world.moderate({ kind: 'warn', targetKind: 'user', targetId: account.id });
    await world.appeal({ by: account, actionId });
    await done(token, 'POST', '/v1/users/me/exports');
    await runTasks(app, [EXPORT_REQUESTED]);
    await done(token, 'POST', '/v1/auth/login', { login: account.email, password: TEST_PASSWORD });
    await app.client.post('/v1/auth/login', { body: { login: account.email, password: 'wrong' } });

    const id = ObjectId.createFromHexString(account.id);
    const before = await mentions(id, [account.id, account.username, account.email, EARLIER_NAME, MARK]);
    // Proves that the search finds existing data.
    for (const name of HELD) expect(Object.keys(before)).toContain(name);

    await done(token, 'DELETE', '/v1/users/me', { password: TEST_PASSWORD });
    await drainActivity(app);
    await app.app.get(ReceivedLikesService).fold(AbortSignal.timeout(60_000));
    await drainTasks(app);
    await app.app.get(UnusedMediaJob).run(AbortSignal.timeout(60_000));
    await app.app.get(ReceivedLikesService).fold(AbortSignal.timeout(60_000));
    const after = await mentions(id, [account.id, account.username, account.email, EARLIER_NAME, MARK]);
    for (const name of GOES_BY_ITSELF) delete after[name];
    expect(after).toEqual(STAYS);
  });

  it('is applied to lists that were cached empty', async () => {
    const { username, token } = await world.person({ overHttp: true });
    const paths = [`/v1/users/${username}/posts`, `/v1/users/${username}/collections`, `/v1/feed?author=${username}`];
    const statuses = () =>
      Promise.all(paths.map((path) => app.client.get(path).then(({ status, body }) => body.code ?? status)));
    expect(await statuses()).toEqual([200, 200, 200]);
    await app.client.delete('/v1/users/me', { token, body: { password: TEST_PASSWORD } });
    expect(await statuses()).toEqual(paths.map(() => 'user_not_found'));
  });

  /** Paths by collection at which documents contain the id, in any encoding, or one of the texts. */
  async function mentions(id: ObjectId, texts: string[]): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const { name } of await app.db.listCollections({ type: 'collection' }).toArray()) {
      const paths = new Set<string>();
      for await (const row of app.db.collection(name).find()) search(row, '', paths);
      if (paths.size > 0) found[name] = [...paths].sort();
    }
    return found;

    function search(value: unknown, path: string, paths: Set<string>): void {
      if (typeof value === 'string' && texts.some((text) => value.includes(text))) paths.add(path);
      // `instanceof` fails here, because a bundle has its own BSON classes.
      else if (bsonTypeOf(value) === 'ObjectId') {
        if (id.equals(value as ObjectId)) paths.add(path);
      } else if (bsonTypeOf(value) === 'Binary') {
        const bytes = Buffer.from((value as Binary).buffer);
        if (bytes.includes(Buffer.from(id.id)) || texts.some((text) => bytes.includes(text))) paths.add(path);
      } else if (
        typeof value === 'object' &&
        value !== null &&
        !(value instanceof Date) &&
        bsonTypeOf(value) !== 'Long'
      ) {
        for (const [key, inner] of Object.entries(value)) {
          const at = path === '' ? key : `${path}.${key}`;
          if (texts.some((text) => key.includes(text))) paths.add(at);
          search(inner, at, paths);
        }
      }
    }
  }
});

function bsonTypeOf(value: unknown): string | undefined {
  return (value as { _bsontype?: string } | null)?._bsontype;
}
