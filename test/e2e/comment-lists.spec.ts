import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import { STANDING_CHANGED } from '../../src/users/users.events.js';
import type { Person } from '../support/world.js';
import { drainTasks, idsOf, verbsOf } from '../support/verbs.js';

/** Responses stay in the cache for the whole spec, unless a write invalidates them. */
const app = useApp({ env: { CACHE_FEED_TTL_MS: '600000', CLEANUP_DELAY_MS: '0' } });
const { world } = app;
const { send, ok, walk } = verbsOf(app);
let author: Person;
let other: Person;
let reader: Person;
let moderator: Person;

beforeEach(async () => {
  [author, other, reader] = await world.people(3);
  moderator = await world.person({ role: 'moderator' });
});
afterEach(async () => expect(await differences(app.db)).toEqual([]));

const listOf = ({ username }: Person): string => `users/${username}/comments`;
const contents = async (path: string, by?: Person): Promise<(string | null)[]> =>
  (await ok(by, 'GET', path)).data.map(({ content }: { content: string | null }) => content);

describe('GET /v1/users/:username/comments', () => {
  it('lists comments on all posts with their posts, latest first, in full pages', async () => {
    const posts = [await world.post({ by: other, title: 'One' }), await world.post({ by: author, title: 'Two' })];
    const ids: string[] = [];
    for (const index of [0, 1, 0, 1, 0])
      ids.unshift((await world.comment({ by: author, on: posts[index]!.id, content: `No. ${index}` })).id);
    await world.comment({ by: other, on: posts[0]!.id });

    const { data } = await ok(reader, 'GET', listOf(author));
    const single = await ok(reader, 'GET', `comments/${ids[0]}`);

    const { id, slug, title } = posts[0]!;
    expect(data[0]).toEqual({ ...single, post: { id, slug, title } });
    expect(idsOf(data)).toEqual(ids);
    for (const limit of [1, 2, 5]) expect(idsOf(await walk(listOf(author), limit))).toEqual(ids);
  });

  it('omits comments on hidden, unlisted and deleted posts, and deleted and removed ones, for everyone', async () => {
    const visibilities = ['private', 'unlisted', 'public', 'public'] as const;
    const [hidden, unlisted, deleted, listed] = await Promise.all(
      visibilities.map((visibility) => world.post({ by: author, visibility })),
    );
    for (const { id } of [hidden!, unlisted!, deleted!]) await world.comment({ by: author, on: id, content: 'hidden' });
    const [answered, removed, withdrawn] = await Promise.all(
      ['answered', 'removed', 'withdrawn'].map((content) => world.comment({ by: author, on: listed!.id, content })),
    );
    await world.comment({ by: author, on: listed!.id, content: 'shown' });
    await world.comment({ by: other, on: listed!.id, parentId: answered!.id });
    expect(await contents(listOf(author))).toHaveLength(5);

    await app.client.delete(`/v1/posts/${deleted!.id}`, { token: author.token });
    for (const { id } of [answered!, withdrawn!]) await ok(author, 'DELETE', `comments/${id}`);
    await world.moderate({ kind: 'remove', targetKind: 'comment', targetId: removed!.id });

    for (const by of [undefined, author, moderator]) expect(await contents(listOf(author), by)).toEqual(['shown']);
    await drainTasks(app);
    expect(await contents(listOf(author))).toEqual(['shown']);
  });

  it('contains new, edited and restored comments at once, also if it was empty', async () => {
    const { id } = await world.post({ by: other });
    expect(await contents(listOf(author))).toEqual([]);
    const comment = await world.comment({ by: author, on: id, content: 'First.' });
    expect(await contents(listOf(author))).toEqual(['First.']);
    await ok(author, 'PATCH', `comments/${comment.id}`, { content: 'Edited.' });
    expect(await contents(listOf(author))).toEqual(['Edited.']);
    await world.moderate({ kind: 'remove', targetKind: 'comment', targetId: comment.id });
    expect(await contents(listOf(author))).toEqual([]);
    await world.moderate({ kind: 'restore', targetKind: 'comment', targetId: comment.id });
    expect(await contents(listOf(author))).toEqual(['Edited.']);
    await ok(other, 'PATCH', `posts/${id}`, { visibility: 'private' }, { 'if-match': '*' });
    expect(await contents(listOf(author))).toEqual([]);
  });

  it('is empty for a reader who blocks or mutes the account or is blocked by it, and omits posts of such accounts', async () => {
    const post = await world.post({ by: other });
    await world.comment({ by: author, on: post.id, content: 'On the post.' });
    const expectCounts = async (ofAuthor: number, ofReader: number) => {
      expect(
        [await contents(listOf(author), reader), await contents(listOf(author))].map(({ length }) => length),
      ).toEqual([ofAuthor, 1]);
      expect(await contents(listOf(reader), author)).toHaveLength(ofReader);
    };
    await world.comment({ by: reader, on: post.id });
    await expectCounts(1, 1);
    await ok(reader, 'PUT', `users/${author.username}/block`);
    await expectCounts(0, 0);
    await ok(reader, 'DELETE', `users/${author.username}/block`);
    await ok(reader, 'PUT', `users/${author.username}/mute`, {});
    await expectCounts(0, 1);
    await ok(reader, 'DELETE', `users/${author.username}/mute`);
    await ok(reader, 'PUT', `users/${other.username}/block`);
    await expectCounts(0, 1);
    await ok(reader, 'DELETE', `users/${other.username}/block`);
    await ok(reader, 'PUT', `posts/${post.id}/hide`);
    await expectCounts(0, 1);
  });

  it('omits or warns of texts and titles with a phrase of the reader', async () => {
    const [plain, titled] = [await world.post({ by: other }), await world.post({ by: other, title: 'On walruses' })];
    await world.comment({ by: author, on: plain.id, content: 'A **walrus**.' });
    await world.comment({ by: author, on: titled.id, content: 'Plain.' });
    await world.comment({ by: author, on: plain.id, content: 'Plain, too.' });
    const hide = { phrase: 'walrus', in: ['comments'], action: 'hide' };
    const warn = { phrase: 'walruses', in: ['posts', 'comments'], action: 'warn' };
    const filters = [
      await ok(reader, 'POST', 'users/me/filters', hide),
      await ok(reader, 'POST', 'users/me/filters', warn),
    ];

    const { data } = await ok(reader, 'GET', listOf(author));
    expect(data.map(({ content, filtered }: any) => [content, filtered])).toEqual([
      ['Plain, too.', undefined],
      ['Plain.', [{ id: filters[1].id, phrase: 'walruses' }]],
    ]);
    await ok(reader, 'PATCH', `users/me/filters/${filters[1].id}`, { action: 'hide' });
    expect(await contents(listOf(author), reader)).toEqual(['Plain, too.']);
  });

  it('is empty while the account is limited, and omits posts of limited accounts', async () => {
    const own = await world.post({ by: author });
    const { id } = await world.post({ by: other });
    await world.comment({ by: author, on: id, content: 'elsewhere' });
    await world.comment({ by: author, on: own.id, content: 'own' });
    const act = async (kind: 'limit' | 'lift', { id: targetId }: Person) => {
      await world.moderate({ kind, targetKind: 'user', targetId });
      await runTasks(app, [STANDING_CHANGED]);
    };
    await act('limit', author);
    expect(await contents(listOf(author), reader)).toEqual([]);
    expect(await contents('users/me/comments', author)).toEqual(['own', 'elsewhere']);
    await act('lift', author);
    expect(await contents(listOf(author), reader)).toEqual(['own', 'elsewhere']);
    await act('limit', other);
    expect(await contents(listOf(author), reader)).toEqual(['own']);
  });

  it('is 404 for unknown and deleted accounts, and refuses the cursor of another account', async () => {
    const { id } = await world.post({ by: other });
    for (const by of [author, author, reader]) await world.comment({ by, on: id });
    const { page } = await ok(undefined, 'GET', `${listOf(author)}?limit=1`);
    expectProblem(await send(null, 'GET', `${listOf(reader)}?cursor=${page.nextCursor}`), 400, 'invalid_cursor');
    expectProblem(await send(null, 'GET', 'users/nobody_here/comments'), 404, 'user_not_found');
  });
});

describe('GET /v1/users/me/comments', () => {
  it('contains removed comments and those on posts that the account may no longer read, but no deleted ones', async () => {
    const [kept, hidden] = [await world.post({ by: other }), await world.post({ by: other })];
    const elsewhere = await world.comment({ by: author, on: hidden.id, content: 'elsewhere' });
    const reply = await world.comment({ by: author, on: hidden.id, parentId: elsewhere.id, content: 'reply' });
    const removed = await world.comment({ by: author, on: kept.id, content: 'removed' });
    const deleted = await world.comment({ by: author, on: kept.id, content: 'deleted' });
    await world.comment({ by: other, on: kept.id, parentId: deleted.id });
    await world.moderate({ kind: 'remove', targetKind: 'comment', targetId: removed.id });
    await ok(author, 'DELETE', `comments/${deleted.id}`);
    await ok(other, 'PATCH', `posts/${hidden.id}`, { visibility: 'private' }, { 'if-match': '*' });

    const data = await walk('users/me/comments', 2, author);
    expect(data.map(({ id, content, post }: any) => [id, content, post?.id ?? null])).toEqual([
      [removed.id, 'removed', kept.id],
      [reply.id, 'reply', null],
      [elsewhere.id, 'elsewhere', null],
    ]);
    expect(data.map(({ removal }: any) => removal !== undefined)).toEqual([true, false, false]);
    expectProblem(await send(null, 'GET', 'users/me/comments'), 401, 'unauthorized');
  });

  it('has comments of a post in the trash, but none of a deleted post, and none below a deleted thread', async () => {
    const [deleted, kept] = [await world.post({ by: other }), await world.post({ by: other })];
    const { id } = await world.comment({ by: author, on: deleted.id });
    const root = await world.comment({ by: reader, on: kept.id });
    await world.comment({ by: author, on: kept.id, parentId: root.id });
    await app.client.delete(`/v1/posts/${deleted.id}`, { token: other.token });
    await ok(other, 'DELETE', `comments/${root.id}?tree=true`);
    await drainTasks(app);
    const { data } = await ok(author, 'GET', 'users/me/comments');
    expect(data.map((one: any) => [one.id, one.post])).toEqual([[id, null]]);
    await ok(other, 'DELETE', `drafts/${deleted.id}`);
    await drainTasks(app);
    expect(await contents('users/me/comments', author)).toEqual([]);
  });
});

describe('GET /v1/comments/latest', () => {
  it('lists public comments of all accounts without what public lists omit, and drops deleted ones at once', async () => {
    const [listed, unlisted] = [
      await world.post({ by: other }),
      await world.post({ by: other, visibility: 'unlisted' }),
    ];
    const first = await world.comment({ by: author, on: listed.id, content: 'first' });
    await world.comment({ by: other, on: unlisted.id, content: 'unlisted' });
    await world.comment({ by: reader, on: listed.id, content: 'second' });
    const latest = async (by?: Person) => (await walk('comments/latest', 100, by)).map(({ content }) => content);
    expect((await latest()).slice(0, 2)).toEqual(['second', 'first']);
    expect(await latest()).not.toContain('unlisted');
    await ok(other, 'PUT', `users/${reader.username}/mute`, {});
    expect((await latest(other)).slice(0, 1)).toEqual(['first']);
    await ok(author, 'DELETE', `comments/${first.id}`);
    expect(await latest()).not.toContain('first');
    expect(idsOf(await walk('comments/latest', 2))).toEqual(idsOf(await walk('comments/latest', 50)));
  });
});

describe('GET /v1/moderation/comments', () => {
  it('lists the comments of an account by state, also on private posts and of blocked accounts', async () => {
    const [listed, hidden] = [await world.post({ by: other }), await world.post({ by: author, visibility: 'private' })];
    const [removed, deleted] = await Promise.all(
      ['removed', 'deleted'].map((content) => world.comment({ by: author, on: listed.id, content })),
    );
    await world.comment({ by: other, on: listed.id, parentId: deleted!.id, content: 'of another' });
    await world.comment({ by: author, on: hidden.id, content: 'private' });
    await world.moderate({ kind: 'remove', targetKind: 'comment', targetId: removed!.id });
    await ok(author, 'DELETE', `comments/${deleted!.id}`);
    await ok(moderator, 'PUT', `users/${author.username}/block`);

    const path = `moderation/comments?authorId=${author.id}`;
    const inState = (state: string) => contents(`${path}&state=${state}`, moderator);
    expect(await inState('visible')).toEqual(['private']);
    expect(await inState('removed')).toEqual(['removed']);
    expect(await inState('deleted')).toEqual([null]);
    expect(new Set(await inState('all'))).toEqual(new Set(['private', 'removed', null]));
    expect(await walk(`${path}&state=all`, 1, moderator)).toHaveLength(3);
    expect((await contents('moderation/comments?limit=2', moderator)).includes('of another')).toBe(true);
    expectProblem(await send(author, 'GET', path), 403, 'forbidden');
  });
});
