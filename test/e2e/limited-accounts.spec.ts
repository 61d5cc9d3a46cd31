import type { ActKind } from '../../src/actions/action-rules.js';
import { UserNamesService } from '../../src/users/user-names.service.js';
import { STANDING_CHANGED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { differences } from '../support/audit.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';
import { drainActivity, drainTasks } from '../support/verbs.js';

describe('a limited account', () => {
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '0', CLEANUP_DELAY_MS: '0' } });
  const { world } = app;
  let person: Person;
  let reader: Person;

  beforeEach(async () => {
    [person, reader] = await world.people(2);
  });
  afterEach(async () => expect(await differences(app.db)).toEqual([]));

  const act = async (kind: ActKind, fields: { until?: string } = {}): Promise<void> => {
    await world.moderate({ kind, targetKind: 'user', targetId: person.id, ...fields });
    await runTasks(app, [STANDING_CHANGED]);
  };
  const get = (path: string, by?: Person): Promise<Answer> => app.client.get(`/v1/${path}`, { token: by?.token });
  const idsOf = async (path: string, by?: Person): Promise<string[]> =>
    (await get(path, by)).body.data.map(({ id }: { id: string }) => id);
  const whereListed = async (id: string, by?: Person): Promise<boolean[]> => {
    const paths = ['feed?sort=latest&limit=50', 'feed?limit=50', `users/${person.username}/posts`];
    return Promise.all(paths.map(async (path) => (await idsOf(path, by)).includes(id)));
  };

  it('has no posts in the lists of others until it is in good standing, but at their addresses', async () => {
    const post = await world.post({ by: person });
    const draft = await world.post({ by: person, visibility: 'private' });

    await act('limit');
    const hidden = await whereListed(post.id, reader);
    const { body: own } = await get('posts/mine', person);
    const shown = await get(`posts/${post.id}`);
    const { body: page } = await app.client.get(`/p/${post.slug}`);
    const profile = await get(`users/${person.username}`);
    await act('lift');

    expect(hidden).toEqual([false, false, false]);
    expect(own.data.find(({ id }: { id: string }) => id === post.id)).toMatchObject({ visibility: 'public' });
    expect([shown.status, profile.body.stats.postsCount]).toEqual([200, 0]);
    expect(page).toContain('noindex');
    expect(await whereListed(post.id)).toEqual([true, true, true]);
    expect((await get(`posts/${draft.id}`)).status).toBe(404);
  });

  it('publishes, edits and shows posts that lists omit', async () => {
    const draft = await world.post({ by: person, visibility: 'private' });
    await act('limit');

    const post = await world.post({ by: person });
    await world.editPost(draft.id, { by: person, visibility: 'public' });
    await world.editPost(post.id, { by: person, title: 'Another title' });
    const listed = [await whereListed(post.id, reader), await whereListed(draft.id, reader)];
    const statuses = [await get(`posts/${post.id}`), await get(`posts/${draft.id}`)].map(({ status }) => status);
    await act('lift');

    expect(listed.flat()).not.toContain(true);
    expect(statuses).toEqual([200, 200]);
    expect([await whereListed(post.id), await whereListed(draft.id)].flat()).not.toContain(false);
  });

  it('has comments without author and text in lists, earlier and later ones, which keep their places', async () => {
    const { id } = await world.post({ by: reader });
    const first = await world.comment({ by: person, on: id, content: 'Before.' });
    await act('limit');
    const second = await world.comment({ by: person, on: id, content: 'After.' });
    const reply = await world.comment({ by: reader, on: id, parentId: first.id });
    const listed = (await get(`posts/${id}/comments`, reader)).body.data;
    const [one, replies] = [await get(`comments/${first.id}`), await idsOf(`comments/${first.id}/replies`)];
    await act('lift');
    const restored = (await get(`posts/${id}/comments`)).body.data;

    const hidden = { author: null, content: null, isDeleted: false, isHiddenForYou: true };
    expect(listed).toMatchObject([
      { id: second.id, ...hidden },
      { id: first.id, ...hidden, stats: { repliesCount: 1 } },
    ]);
    expect([one.body.content, replies]).toEqual(['Before.', [reply.id]]);
    expect(restored.map(({ content }: { content: string }) => content)).toEqual(['After.', 'Before.']);
    expect(restored[0]).not.toHaveProperty('isHiddenForYou');
  });

  it('notifies no account, and is not found by its name', async () => {
    const { id } = await world.post({ by: reader });
    const names = () => app.app.get(UserNamesService).find([person.id]);
    const found = await names();
    await act('limit');

    await world.comment({ by: person, on: id, content: `Hello @${reader.username}.` });
    await app.client.put(`/v1/posts/${id}/vote`, { token: person.token, body: { value: 'like' } });
    await app.client.put(`/v1/users/${reader.username}/follow`, { token: person.token });
    await drainActivity(app);

    expect(await idsOf('notifications', reader)).toEqual([]);
    expect([found.length, await names()]).toEqual([1, []]);
  });

  it.each(['limit', 'ban'] as const)('is not in earlier notifications, which count without it: %s', async (kind) => {
    const other = await world.person();
    const posts = [await world.post({ by: reader }), await world.post({ by: reader })];
    const [alone, both] = posts.map(({ id }) => id) as [string, string];
    await app.client.put(`/v1/users/${person.username}/bell`, { token: reader.token });
    await world.post({ by: person });
    for (const [by, id] of [
      [person, alone],
      [other, both],
      [person, both],
    ] as const) {
      await world.comment({ by, on: id });
      await app.client.put(`/v1/posts/${id}/vote`, { token: by.token, body: { value: 'like' } });
    }
    await drainActivity(app);
    await drainTasks(app);
    const readNotifications = async () => {
      const { data, unread } = (await get('notifications', reader)).body;
      expect((await get('notifications/unread-count', reader)).body).toEqual(unread);
      return data.map(({ kind, post, actorsCount }: any) => `${kind} ${post.id} ${actorsCount}`).sort();
    };
    const before = await readNotifications();

    await act(kind);
    const after = await readNotifications();
    await act('lift');

    expect(after).toEqual([`comment ${both} 1`, `like_post ${both} 1`]);
    expect(before).toHaveLength(5);
    expect(await readNotifications()).toEqual(before);
  });

  it.each(['limit', 'ban'] as const)('is not in lists of followers, followed accounts and likes: %s', async (kind) => {
    const { id } = await world.post({ by: reader });
    for (const path of [`users/${reader.username}/follow`, `posts/${id}/vote`])
      await app.client.put(`/v1/${path}`, { token: person.token, body: { value: 'like' } });
    await app.client.put(`/v1/users/${person.username}/follow`, { token: reader.token });
    const lists = [`users/${reader.username}/followers`, `users/${reader.username}/following`, `posts/${id}/votes`];
    const listedUsers = async () => {
      const pages = await Promise.all(lists.map(async (path) => (await get(path)).body.data));
      return pages.map((rows) => rows.map(({ user }: { user: { id: string } }) => user.id));
    };

    const before = await listedUsers();
    await act(kind);
    const after = await listedUsers();
    await act('lift');

    expect([before, after]).toEqual([
      [[person.id], [person.id], [person.id]],
      [[], [], []],
    ]);
    expect(await listedUsers()).toEqual(before);
  });

  it('is in good standing after the end, and out of lists while a stricter restriction holds', async () => {
    const post = await world.post({ by: person });
    await act('limit', { until: '2099-12-31T00:00:00.000Z' });
    await act('suspend');
    const suspended = await whereListed(post.id);
    const past = { $set: { 'standing.until': new Date(Date.now() - 1) } };
    await app.db.collection('users').updateOne({ _id: person._id }, past);
    await app.db.collection('tasks').updateMany({ topic: STANDING_CHANGED.name }, { $set: { runAt: new Date() } });
    await runTasks(app, [STANDING_CHANGED]);

    expect(suspended).toEqual([false, false, false]);
    expect(await whereListed(post.id)).toEqual([true, true, true]);
  });
});
