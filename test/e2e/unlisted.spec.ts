import fc from 'fast-check';
import { AuditService } from '../../src/audit/audit.service.js';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { VISIBILITIES } from '../../src/posts/post-types.js';
import { indexAll, useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { differences } from '../support/audit.js';
import { orderOf } from '../support/collections.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { drainActivity, drainTasks } from '../support/verbs.js';

const API = 'https://api.example';
const env = { HTTP_PUBLIC_URL: API, CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '1000000', CACHE_FEED_TTL_MS: '0' };
const app = useApp({ search: true, env });
const { world } = app;
let author: Person;
let reader: Person;

const send = (by: Person | null, method: string, path: string, body?: object): Promise<Answer> =>
  app.client.request(method, path, { token: by?.token, ...(body ? { body } : {}) });
const ok = async (...request: Parameters<typeof send>): Promise<any> => {
  const { status, body } = await send(...request);
  if (status >= 300) throw new Error(`${request[1]} ${request[2]}: ${status} ${JSON.stringify(body)}`);
  return body;
};
const edit = (id: string, fields: object) => send(author, 'PATCH', `/v1/posts/${id}`, fields);
const settle = async (): Promise<void> => {
  await drainTasks(app);
  await drainActivity(app);
};
const idsOf = async (by: Person | null, path: string): Promise<string[]> =>
  (await ok(by, 'GET', path)).data.map((row: any) => (row.post ?? row).id);

beforeEach(async () => {
  [author, reader] = await world.people(2);
});

describe('an unlisted post', () => {
  it('is read by its address, like a public one', async () => {
    const { id, slug } = await world.post({ by: author, visibility: 'unlisted', isHistoryPublic: true });
    await world.editPost(id, { by: author, content: 'Another text.' });
    const comment = await world.comment({ by: reader, on: id });

    const oembed = `/v1/oembed?url=${encodeURIComponent(`${API}/p/${slug}`)}`;
    const below = ['', '/content', '/html', '/meta', '/comments', '/votes', '/revisions', '/revisions/1'];
    for (const path of [...below.map((one) => `/v1/posts/${id}${one}`), `/v1/comments/${comment.id}`, oembed])
      for (const by of [null, reader]) expect([path, (await send(by, 'GET', path)).status]).toEqual([path, 200]);

    expect(await ok(null, 'GET', `/v1/posts/${id}`)).toMatchObject({ visibility: 'unlisted', isPublic: false });
    expect(await idsOf(null, `/v1/posts?ids=${id}`)).toEqual([id]);
  });

  it('asks crawlers not to index its page', async () => {
    const noindex = '<meta name="robots" content="noindex">';
    const [unlisted, listed] = [
      await world.post({ by: author, visibility: 'unlisted' }),
      await world.post({ by: author }),
    ];
    expect((await send(null, 'GET', `/p/${unlisted.slug}`)).body).toContain(noindex);
    expect((await send(null, 'GET', `/p/${listed.slug}`)).body).not.toContain(noindex);
  });

  it('takes votes, saves, comments and views, and stays in own lists of a reader', async () => {
    const { id } = await world.post({ by: author, visibility: 'unlisted' });
    await ok(reader, 'PUT', `/v1/posts/${id}/vote`, { value: 'like' });
    await ok(reader, 'PUT', `/v1/posts/${id}/save`);
    await ok(reader, 'PUT', `/v1/posts/${id}/watch`, { level: 'watching' });
    await ok(reader, 'POST', `/v1/posts/${id}/events`, { kind: 'view' });
    await ok(author, 'POST', `/v1/posts/${id}/comments`, { content: 'Thank you.' });
    await settle();

    const { stats } = await ok(null, 'GET', `/v1/posts/${id}`);
    expect(stats).toMatchObject({ likesCount: 1, commentsCount: 1, viewsCount: 1 });
    for (const path of ['saved', 'liked']) expect(await idsOf(reader, `/v1/users/me/${path}`)).toEqual([id]);
    expect((await ok(reader, 'GET', '/v1/notifications')).data).toMatchObject([{ kind: 'watched', post: { id } }]);
    expect((await ok(author, 'GET', '/v1/notifications')).data).toMatchObject([{ kind: 'like_post', post: { id } }]);
    const profile = await ok(null, 'GET', `/v1/users/${author.username}`);
    expect(profile.stats).toMatchObject({ postsCount: 0, likesReceivedCount: 0 });
    expect(await differences(app.db)).toEqual([]);
  });

  it('is in the lists of its author with its visibility', async () => {
    const ids: string[] = [];
    for (const visibility of VISIBILITIES) ids.unshift((await world.post({ by: author, visibility })).id);
    const { data } = await ok(author, 'GET', '/v1/posts/mine');
    const expected = [...VISIBILITIES].reverse().map((visibility, at) => ({ id: ids[at], visibility }));
    expect(data).toMatchObject(expected);
  });

  it('keeps its visibility when a draft of it is published', async () => {
    const { id } = await world.post({ by: author, visibility: 'unlisted' });
    const draft = await ok(author, 'POST', '/v1/drafts', { postId: id, title: 'Renamed' });
    const published = await ok(author, 'POST', `/v1/drafts/${draft.id}/publish`);
    expect(published).toMatchObject({ id, title: 'Renamed', visibility: 'unlisted' });
  });

  it('cannot be featured, and is not found by others once it is private', async () => {
    const { id } = await world.post({ by: author, visibility: 'unlisted' });
    expectProblem(await send(author, 'PUT', `/v1/users/me/featured/${id}`), 409, 'post_hidden');
    expect((await send(null, 'GET', `/v1/posts/${id}`)).status).toBe(200);
    await edit(id, { visibility: 'private' });
    for (const by of [null, reader]) expectProblem(await send(by, 'GET', `/v1/posts/${id}`), 404, 'post_not_found');
  });

  it('is read in its new version immediately after an edit', async () => {
    const { id } = await world.post({ by: author, visibility: 'unlisted' });
    for (const title of ['Second', 'Third']) {
      await edit(id, { title });
      expect((await ok(null, 'GET', `/v1/posts/${id}`)).title).toBe(title);
    }
  });
});

describe('a list of others', () => {
  const TAGS = ['spindles'];

  it('never shows an unlisted post, and notifies no account of it', async () => {
    const [follower, mentioned] = await world.people(2);
    await ok(follower, 'PUT', `/v1/users/${author.username}/follow`);
    await ok(follower, 'PUT', `/v1/users/${author.username}/bell`);
    const other = await world.post({ by: author, title: 'Jacquard again', tags: TAGS });
    const { id } = await world.post({
      by: author,
      title: 'Jacquard unlisted',
      content: `For @${mentioned.username}.`,
      tags: TAGS,
      visibility: 'unlisted',
    });
    const list = await world.collection({ by: reader, posts: [other.id, id] });
    const series = await world.collection({ by: author, kind: 'series', posts: [other.id, id] });
    const { username } = author;
    const tag = TAGS[0]!;
    const month = new Date().toISOString().slice(0, 7);
    const visitors = [
      ...['hot', 'latest', 'top'].map((sort) => `/v1/feed?sort=${sort}`),
      ...[`tag=${tag}`, 'type=article', `author=${username}`].map((by) => `/v1/feed?sort=latest&${by}`),
      ...['posts', 'featured', 'feed.atom'].map((part) => `/v1/users/${username}/${part}`),
      ...['/v1/search?q=jacquard', '/v1/search?q=jacquard&kind=posts&sort=latest'],
      ...['/v1/feeds/latest.atom', '/v1/feeds/hot.json', `/v1/tags/${tag}/feed.rss`],
      ...[list, series].flatMap(({ id: of }) => [`/v1/collections/${of}/posts`, `/v1/collections/${of}/feed.json`]),
      ...[`/v1/posts/${other.id}/series`, `/sitemaps/posts-${month}-1.xml`],
    ];
    const own = ['/v1/feed/following', '/v1/notifications'];
    const lists: [Person | null, string][] = [
      ...visitors.map((path): [null, string] => [null, path]),
      ...own.map((path): [Person, string] => [follower, path]),
      [mentioned, '/v1/notifications'],
    ];
    /** The lists that show it. */
    const showing = async (): Promise<string[]> => {
      await settle();
      await indexAll(app);
      for (const { store } of app.everyOf(ResponseCache)) store.clear();
      const found: string[] = [];
      for (const [by, path] of lists) if (JSON.stringify(await ok(by, 'GET', path)).includes(id)) found.push(path);
      return found;
    };
    const countOf = async () => [
      (await ok(null, 'GET', `/v1/users/${username}`)).stats.postsCount,
      (await ok(null, 'GET', `/v1/collections/${list.id}`)).stats.postsCount,
      (await ok(null, 'GET', '/v1/search/suggest?q=spindl')).data.tags,
    ];
    const one = [1, 1, [{ tag, postsCount: 1 }]];

    expect(await showing()).toEqual([]);
    expect(await countOf()).toEqual(one);

    // the same lists show a public post
    await edit(id, { visibility: 'public' });
    await ok(author, 'PUT', `/v1/users/me/featured/${id}`);
    expect(await showing()).toEqual(lists.map(([, path]) => path));
    expect(await countOf()).toEqual([2, 2, [{ tag, postsCount: 2 }]]);

    await edit(id, { visibility: 'unlisted' });
    expect(await showing()).toEqual([]);
    expect(await countOf()).toEqual(one);

    // each owner sees it in an own collection, and its author everywhere
    for (const by of [reader, author]) expect(await orderOf(app, list.id, by)).toEqual([other.id, id]);
    expect(await orderOf(app, list.id, follower)).toEqual([other.id]);
  });

  it('has exactly the public posts after any changes, with exact counters', async () => {
    const step = fc.record({ post: fc.nat(2), visibility: fc.constantFrom(...VISIBILITIES), isLiked: fc.boolean() });
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const by = await world.person();
      const ids: string[] = [];
      for (const visibility of VISIBILITIES) ids.push((await world.post({ by, visibility })).id);
      const now = new Map<string, string>(ids.map((id, at) => [id, VISIBILITIES[at]!]));
      for (const { post, visibility, isLiked } of steps) {
        const id = ids[post]!;
        await ok(by, 'PATCH', `/v1/posts/${id}`, { visibility });
        await ok(by, 'PUT', `/v1/posts/${id}/vote`, { value: isLiked ? 'like' : 'dislike' });
        now.set(id, visibility);
      }
      const listed = ids.filter((id) => now.get(id) === 'public').sort();
      for (const path of [`/v1/users/${by.username}/posts`, `/v1/feed?sort=latest&author=${by.username}`])
        expect((await idsOf(null, path)).sort()).toEqual(listed);
      for (const [id, visibility] of now)
        expect((await send(null, 'GET', `/v1/posts/${id}`)).status).toBe(visibility === 'private' ? 404 : 200);
      const found: unknown[] = [];
      await app.app.get(AuditService).audit((difference) => void found.push(difference));
      expect(found).toEqual([]);
    });
    await fc.assert(property, { numRuns: 15 });
  });
});

describe('the visibility of a request', () => {
  it('is public, unlisted or private, also as isPublic', async () => {
    const { id } = await world.post({ by: author, visibility: 'unlisted' });
    const after = async (fields: object) => {
      const { visibility, isPublic } = (await edit(id, fields)).body;
      return [visibility, isPublic];
    };
    expect(await after({ title: 'Renamed' })).toEqual(['unlisted', false]);
    expect(await after({ isPublic: false, visibility: 'unlisted' })).toEqual(['unlisted', false]);
    expect(await after({ isPublic: true })).toEqual(['public', true]);
    expect(await after({ visibility: 'unlisted' })).toEqual(['unlisted', false]);
    expect(await after({ isPublic: false })).toEqual(['private', false]);
    expect(await after({ isPublic: true, visibility: 'public' })).toEqual(['public', true]);
  });

  it.each([
    { isPublic: true, visibility: 'unlisted' },
    { isPublic: true, visibility: 'private' },
    { isPublic: false, visibility: 'public' },
  ])('must not contradict itself: %j', async (fields) => {
    const { id } = await world.post({ by: author });
    const text = { title: 'Notes', content: 'Text.', type: 'article' };
    for (const answer of [await edit(id, fields), await send(author, 'POST', '/v1/posts', { ...text, ...fields })]) {
      expectProblem(answer, 400, 'invalid_visibility');
      expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(['visibility']);
    }
    expect(await idsOf(author, '/v1/posts/mine')).toEqual([id]);
  });

  it('must be one of the three', async () => {
    const { id } = await world.post({ by: author });
    for (const visibility of ['hidden', null, true])
      expectProblem(await edit(id, { visibility }), 400, 'invalid_input');
  });
});
