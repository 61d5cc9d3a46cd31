import { ObjectId } from 'mongodb';
import { indexAll, useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';
import { drainActivity, verbsOf } from '../support/verbs.js';

const POSTS = 3;
const LIMIT = 3;

const app = useApp({ search: true });
const { world } = app;
let viewer: Person;
/** the viewer blocks and has muted the first two, and the third blocks the viewer */
let hidden: Person[];
let plain: Person;
/** ids of posts in lists of the viewer, and of all others */
let shownIds: string[];
let hiddenIds: string[];

const { ok } = verbsOf(app);
const idOf = (row: any): string => (row.post ?? row).id;

/** All ids of a list, page by page; every page but the last is full. */
async function idsOnPages(by: Person | undefined, path: string, limit = LIMIT): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const { data, page } = await ok(by, 'GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
    const rows: unknown[] = Array.isArray(data) ? data : [...data.posts, ...data.users];
    ids.push(...rows.map(idOf));
    if (page.nextCursor === null) return ids;
    expect(rows).toHaveLength(limit);
    cursor = `&cursor=${page.nextCursor}`;
  }
}

/** Inserts copies of a new post of the author, without their texts. */
async function addPosts(by: Person, count: number, tag: string): Promise<void> {
  const { id } = await world.post({ by, tags: [tag] });
  const posts = app.db.collection('posts');
  const { _id, ...post } = (await posts.findOne({ _id: new ObjectId(id) }))!;
  await posts.insertMany([...Array(count - 1)].map(() => ({ ...post, createdAt: new Date() })));
  expect(_id).toEqual(new ObjectId(id));
}

beforeAll(async () => {
  const [reader, blocked, muted, blocker, author] = await world.people(5, { fullName: 'Konrad Zuse' });
  [viewer, plain, hidden] = [reader, author, [blocked, muted, blocker]];
  const byAuthor = new Map<Person, string[]>();
  for (const by of [blocked, plain, muted, viewer, blocker]) byAuthor.set(by, []);
  for (let count = 0; count < POSTS; count++)
    for (const [by, ids] of byAuthor)
      ids.push((await world.post({ by, title: `Plankalkül ${count}`, tags: ['looms'] })).id);
  await ok(viewer, 'PUT', `users/${muted.username}/follow`);
  await ok(viewer, 'PUT', `users/${plain.username}/follow`);

  await ok(viewer, 'PUT', `users/${blocked.username}/block`);
  await ok(viewer, 'PUT', `users/${muted.username}/mute`, {});
  await ok(blocker, 'PUT', `users/${viewer.username}/block`);
  const [notForMe, ...others] = byAuthor.get(plain)!;
  const own = byAuthor.get(viewer)!;
  // an own post stays in lists
  for (const id of [notForMe!, own[0]!]) await ok(viewer, 'PUT', `posts/${id}/hide`);
  shownIds = [...others, ...own];
  hiddenIds = [notForMe!, ...hidden.flatMap((by) => byAuthor.get(by)!)];
});

describe('a list of posts', () => {
  it.each([
    'feed?sort=hot',
    'feed?sort=latest',
    'feed?sort=top',
    'feed?sort=hot&tag=looms',
    'feed?sort=top&window=week&tag=looms',
  ])('omits hidden posts, in full pages and in the same order: %s', async (path) => {
    const all = await idsOnPages(undefined, path, 100);
    expect(all).toHaveLength(shownIds.length + hiddenIds.length);

    expect(await idsOnPages(viewer, path)).toEqual(all.filter((id) => shownIds.includes(id)));

    expect(await idsOnPages(plain, path)).toEqual(all);
  });

  it('is read once for a viewer until the list or the filter changes', async () => {
    const path = 'feed?sort=latest&limit=4';
    const first = async (): Promise<string> => idOf((await ok(viewer, 'GET', path)).data[0]);
    await ok(undefined, 'GET', path);
    const before = await first();
    expect(await plansOf(app, first, 'posts')).toEqual([]);
    const { id } = await world.post({ by: plain, title: 'Plankalkül, again', tags: ['looms'] });
    await ok(undefined, 'GET', path);
    expect(await first()).toBe(id);
    await ok(viewer, 'PUT', `posts/${id}/hide`);
    expect(await first()).toBe(before);
    await ok(plain, 'DELETE', `posts/${id}`);
  });

  it('is empty for an author that the filter hides, and omits single hidden posts of others', async () => {
    for (const pathOf of [(name: string) => `feed?author=${name}`, (name: string) => `users/${name}/posts`]) {
      const countFor = async (by: Person | undefined, of: Person) =>
        (await idsOnPages(by, pathOf(of.username), 1)).length;
      for (const author of hidden)
        expect([await countFor(undefined, author), await countFor(viewer, author)]).toEqual([POSTS, 0]);
      expect([await countFor(viewer, plain), await countFor(viewer, viewer)]).toEqual([POSTS - 1, POSTS]);
    }
  });

  it('contains followed accounts without muted ones and hidden posts', async () => {
    const [follows, all] = [shownIds.slice(0, POSTS - 1), await idsOnPages(viewer, 'feed/following', 1)];
    expect([...all].sort()).toEqual(follows.sort());
  });

  it('has full pages for a reader who hides most authors, and is short after 2,000 rows', async () => {
    const [reader, busy, quiet] = await world.people(3);
    const shown: string[] = [];
    for (let count = 0; count < 3; count++) {
      shown.unshift((await world.post({ by: quiet, tags: ['crowd'] })).id);
      await addPosts(busy, 60, 'crowd');
    }
    const last = await world.post({ by: quiet, tags: ['throng'] });
    await addPosts(busy, 2_001, 'throng');
    await ok(reader, 'PUT', `users/${busy.username}/block`);

    expect(await idsOnPages(reader, 'feed?sort=latest&tag=crowd', 2)).toEqual(shown);
    const first = await ok(reader, 'GET', 'feed?sort=latest&tag=throng&limit=1');
    expect([first.data, typeof first.page.nextCursor]).toEqual([[], 'string']);
    const path = `feed?sort=latest&tag=throng&limit=1&cursor=${first.page.nextCursor}`;
    expect(await ok(reader, 'GET', path)).toMatchObject({ data: [{ id: last.id }], page: { nextCursor: null } });
  });

  it('requires a valid token if there is one', async () => {
    const { status, body } = await app.client.get('/v1/feed', { token: `${viewer.token}x` });
    expect([status, body.code]).toEqual([401, 'invalid_token']);
  });
});

describe('the posts of a collection', () => {
  it('omit hidden posts, except for its owner', async () => {
    const posts = [...hiddenIds, ...shownIds];
    const [ofPlain, own] = [
      await world.collection({ by: plain, posts }),
      await world.collection({ by: viewer, posts }),
    ];

    expect(await idsOnPages(viewer, `collections/${ofPlain.id}/posts`)).toEqual(shownIds);
    expect(await idsOnPages(plain, `collections/${ofPlain.id}/posts`)).toEqual(posts);
    expect(await idsOnPages(viewer, `collections/${own.id}/posts`)).toEqual(posts);
  });
});

describe('notifications', () => {
  it('omit muted accounts and hidden posts, and return after the mute', async () => {
    const [reader, muted, author] = await world.people(3);
    const own = await world.post({ by: reader });
    const [watched, ofAuthor] = [await world.post({ by: author }), await world.post({ by: author })];
    for (const by of [muted, author]) await ok(by, 'PUT', `posts/${own.id}/vote`, { value: 'like' });
    await ok(muted, 'PUT', `users/${reader.username}/follow`);
    for (const { id } of [watched, ofAuthor]) await ok(reader, 'PUT', `posts/${id}/watch`, { level: 'watching' });
    for (const { id } of [watched, ofAuthor]) await world.comment({ by: author, on: id });
    await drainActivity(app);
    const list = async (): Promise<[kind: string, actors: string[], count: number][]> =>
      (await ok(reader, 'GET', 'notifications')).data
        .map((row: any) => [row.kind, row.actors.map(({ id }: { id: string }) => id).sort(), row.actorsCount])
        .sort(([a]: [string], [b]: [string]) => (a < b ? -1 : 1));
    const all = await list();
    expect(all).toEqual([
      ['follow', [muted.id], 1],
      ['like_post', [muted.id, author.id].sort(), 2],
      ['watched', [author.id], 1],
      ['watched', [author.id], 1],
    ]);

    await ok(reader, 'PUT', `users/${muted.username}/mute`, {});
    await ok(reader, 'PUT', `posts/${watched.id}/hide`);
    expect(await list()).toEqual([
      ['like_post', [author.id], 1],
      ['watched', [author.id], 1],
    ]);

    await ok(reader, 'DELETE', `users/${muted.username}/mute`);
    await ok(reader, 'DELETE', `posts/${watched.id}/hide`);
    expect(await list()).toEqual(all);
  });
});

describe('search', () => {
  beforeAll(() => indexAll(app));

  it.each(['relevance', 'latest'])('omits hidden posts, in full pages and in the same order: by %s', async (sort) => {
    const path = `search?q=plankalkul&kind=posts&sort=${sort}`;
    const all = await idsOnPages(undefined, path, 100);
    expect(all).toHaveLength(shownIds.length + hiddenIds.length);

    expect(await idsOnPages(viewer, path)).toEqual(all.filter((id) => shownIds.includes(id)));
  });

  it('omits blocked and muted people', async () => {
    const path = 'search?q=zuse&kind=users';
    const all = await idsOnPages(undefined, path, 100);
    expect(all).toHaveLength(hidden.length + 2);

    expect(await idsOnPages(viewer, path, 1)).toEqual(all.filter((id) => !hidden.some((person) => person.id === id)));
  });

  it('omits both from the best of each kind', async () => {
    const { data } = await ok(viewer, 'GET', 'search?q=plankalkul');
    expect(data.posts).toHaveLength(shownIds.length);
    expect(data.posts.filter(({ id }: { id: string }) => hiddenIds.includes(id))).toEqual([]);
  });
});

describe('comments', () => {
  it.each(['', '&sort=oldest', '&sort=top', '&limit=2'])('of hidden accounts keep their place: %s', async (query) => {
    const post = await world.post({ by: plain });
    const ids: string[] = [];
    for (const by of [...hidden, plain]) ids.push((await world.comment({ by, on: post.id })).id);
    const [first] = ids as [string];
    await world.comment({ by: plain, on: post.id, parentId: first });
    const path = `posts/${post.id}/comments?${query}`;
    const isHidden = (id: string) => ids.indexOf(id) < hidden.length;

    const [all, filtered] = [(await ok(undefined, 'GET', path)).data, (await ok(viewer, 'GET', path)).data];

    const expected = all.map((one: { id: string }) =>
      isHidden(one.id) ? { ...one, author: null, content: null, isHiddenForYou: true } : one,
    );
    expect(filtered).toEqual(expected);
    expect(filtered.find(({ id }: { id: string }) => id === first)?.stats.repliesCount ?? 1).toBe(1);
    expect((await ok(viewer, 'GET', `comments/${first}`)).author.id).toBe(hidden[0]!.id);
  });

  it('are hidden among replies, too, and tombstones stay tombstones', async () => {
    const post = await world.post({ by: plain });
    const parent = await world.comment({ by: plain, on: post.id });
    const reply = await world.comment({ by: hidden[0]!, on: post.id, parentId: parent.id });
    const path = `comments/${parent.id}/replies`;
    expect((await ok(viewer, 'GET', path)).data).toMatchObject([{ id: reply.id, isHiddenForYou: true, content: null }]);

    await world.comment({ by: plain, on: post.id, parentId: reply.id });
    await ok(hidden[0], 'DELETE', `comments/${reply.id}`);
    expect((await ok(viewer, 'GET', path)).data).toEqual((await ok(undefined, 'GET', path)).data);
  });
});

describe('a hidden post', () => {
  it('can be read by its address', async () => {
    for (const id of hiddenIds) await ok(viewer, 'GET', `posts/${id}`);
  });
});

describe('the response cache', () => {
  const cached = useApp({ oneHost: 'each process loads filters and caches responses of its own' });
  const path = '/v1/feed?sort=latest&limit=9';
  const put = (by: Person, of: Person) =>
    cached.client.put(`/v1/users/${of.username}/mute`, { token: by.token, body: {} });
  /** The framework adds Server-Timing; the listener before it does not. */
  const look = async (by?: Person, from = path) => {
    const { headers } = await cached.client.get(from, { token: by?.token });
    return [headers.get('x-cache'), headers.has('server-timing') ? 'framework' : 'listener'];
  };

  it('serves lists to readers without a filter before the framework, and to no others', async () => {
    const [reader, author] = await cached.world.people(2);
    await look();
    expect(await look()).toEqual(['HIT', 'listener']);

    // the filter is not loaded yet
    expect(await look(reader)).toEqual(['HIT', 'framework']);
    expect(await look(reader)).toEqual(['HIT', 'listener']);

    await put(reader, author);
    expect(await look(reader)).toEqual(['BYPASS', 'framework']);
    expect(await look()).toEqual(['HIT', 'listener']);

    await cached.client.delete(`/v1/users/${author.username}/mute`, { token: reader.token });
    expect(await look(reader)).toEqual(['HIT', 'framework']);
    expect(await look(reader)).toEqual(['HIT', 'listener']);
  });

  it('serves single posts to readers with a filter, too', async () => {
    const [reader, author] = await cached.world.people(2);
    const { id } = await cached.world.post({ by: author });
    await put(reader, author);
    await look(undefined, `/v1/posts/${id}`);

    expect(await look(reader, `/v1/posts/${id}`)).toEqual(['HIT', 'listener']);
  });

  it('lets a shared cache serve lists only to visitors', async () => {
    const { headers } = await cached.client.get(path);
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      expect.stringMatching(/^public,/),
      expect.stringContaining('Authorization'),
    ]);
  });
});
