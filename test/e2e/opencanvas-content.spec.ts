import { ObjectId } from 'mongodb';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectOpenCanvasError, openCanvasCard, openCanvasClient } from '../support/opencanvas.js';
import type { Person } from '../support/world.js';

const NONE = '6650c3a2f1d2b3c4d5e6f7ff';
const app = useApp({ env: { OPENCANVAS_API: '/oc' } });
const { world } = app;
const { read, send } = openCanvasClient(app);
let ada: Person;
let bob: Person;
let moderator: Person;

beforeAll(async () => {
  [ada, bob] = await world.people(2);
  moderator = await world.person({ role: 'moderator' });
});
afterEach(async () => {
  expect(await differences(app.db)).toEqual([]);
});

describe('a post', () => {
  it('is read by the end of its address', async () => {
    const { id, slug } = await world.post({ by: ada, thumbnailUrl: 'https://a.example/b.png' });
    const expected = openCanvasCard(ada, { _id: id, thumbnailUrl: 'https://a.example/b.png' });

    expect((await read(`/p/${slug}`)).body).toEqual({
      success: true,
      data: { ...expected, content: 'The engine weaves algebraic patterns.', media: [] },
    });
    expect((await read(`/p/other-words-${id}`)).status).toBe(200);
    expectOpenCanvasError(await read('/p/undefined'), 400, 'Invalid post URL');
    expectOpenCanvasError(await read(`/p/x-${NONE}`), 404, 'Post not found');
  });

  it('keeps the subtitle, which the client does not have, in an edit', async () => {
    const { id } = await world.post({ by: ada, subtitle: 'What it can do' });
    const body = { postId: id, title: 'Looms', content: 'They weave.', type: 'article' };

    expect((await send('POST', '/save/post/written', ada, body)).status).toBe(200);
    expect((await app.client.get(`/v1/posts/${id}`)).body).toMatchObject({
      title: 'Looms',
      subtitle: 'What it can do',
    });
  });

  it('that is private is for its author and moderators', async () => {
    const { id, slug } = await world.post({ by: ada, isPublic: false });
    const path = `/private/p/${slug}?postId=undefined`;

    expectOpenCanvasError(await read(`/p/${slug}`, ada), 404, 'Post not found');
    expect((await read(path, ada)).body.data).toMatchObject({ _id: id, isPublic: false });
    expect((await read(`/private/p/slug?postId=${id}`, ada)).body.data._id).toBe(id);
    expect((await read(path, moderator)).body.data._id).toBe(id);
    expectOpenCanvasError(await read(path, bob), 404, 'Post not found');
    expectOpenCanvasError(await read(path), 401, 'Access token required');
    expectOpenCanvasError(await read('/private/p/slug?postId=undefined', ada), 400, 'Invalid post URL');
  });

  it('is created under the id that its author was given, and edited with the same request', async () => {
    const { postId } = (await read('/get-new-post-id', ada)).body.data;
    const startedAt = Date.now();
    const form = { postId, title: 'Looms', content: '# Looms\n\nThey *weave*.', isPublic: true, type: 'poem' };
    const sent = { ...form, tags: ['My Tag', 'regular'], thumbnailUrl: '', readTime: '1 min read', media: ['x'] };
    const created = await send('POST', '/save/post/written', ada, sent);
    const edited = await send('POST', '/save/post/written', ada, { ...sent, title: 'Looms, again' });

    expect([created.status, created.body.data]).toMatchObject([
      201,
      { _id: postId, slug: 'looms', type: 'poem', tags: ['my-tag', 'regular'], thumbnailUrl: '', isEdited: false },
    ]);
    expect([edited.status, edited.body.data]).toMatchObject([
      200,
      { _id: postId, title: 'Looms, again', isEdited: true },
    ]);
    expect(Date.parse(created.body.data.createdAt)).toBeGreaterThanOrEqual(startedAt);
  });

  it('is created once by many requests for one id', async () => {
    const { postId } = (await read('/get-new-post-id', ada)).body.data;
    const form = { postId, title: 'Looms', content: 'They weave.', isPublic: true };
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('POST', '/save/post/written', ada, form)));

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  });

  it('is not created under a forged id, one of another account, or of a deleted post', async () => {
    const form = { title: 'Looms', content: 'They weave.', isPublic: true };
    const save = (by: Person, postId: string) => send('POST', '/save/post/written', by, { ...form, postId });
    const { postId } = (await read('/get-new-post-id', ada)).body.data;
    const refusal = 'This id was not issued to this account by /get-new-post-id.';
    expectOpenCanvasError(await save(bob, postId), 400, refusal);
    expectOpenCanvasError(await save(ada, new ObjectId().toHexString()), 400, refusal);
    expectOpenCanvasError(await save(ada, 'undefined'), 400, expect.stringContaining('postId'));
    await save(ada, postId);
    expectOpenCanvasError(await save(bob, postId), 403);

    await send('DELETE', '/post/delete', ada, { postId });

    expectOpenCanvasError(await save(ada, postId), 404, 'Post not found');
  });

  it('is hidden, shown, featured and deleted', async () => {
    const { id: postId } = await world.post({ by: ada });
    const flip = async () => (await send('PUT', '/change-post-visibility-status', ada, { postId })).body;
    const feature = async (id = postId) => send('PUT', '/change-post-featured-status', ada, { postId: id });

    expect(await flip()).toMatchObject({ message: 'Post is now private', data: { isPublic: false } });
    expect(await flip()).toMatchObject({ message: 'Post is now public', data: { isPublic: true } });
    expect((await feature()).body).toEqual({ success: true, message: 'Post added to featured', added: true });
    expect((await feature()).body).toEqual({ success: true, message: 'Post removed from featured', added: false });
    expectOpenCanvasError(await send('DELETE', '/post/delete', bob, { postId }), 403);
    expect((await send('DELETE', '/post/delete', ada, { postId })).body.message).toBe('Post deleted');
    expectOpenCanvasError(await send('DELETE', '/post/delete', ada, { postId }), 404, 'Post not found');
    expectOpenCanvasError(await feature('null'), 400, expect.stringContaining('postId'));
  });

  it('is featured up to eight times, also by clicks at once', async () => {
    const author = await world.person();
    const posts = await Promise.all(Array.from({ length: 9 }, () => world.post({ by: author })));
    const feature = (postId: string) => send('PUT', '/change-post-featured-status', author, { postId });
    for (const { id } of posts.slice(0, 8)) expect((await feature(id)).body.added).toBe(true);

    expectOpenCanvasError(await feature(posts[8]!.id), 400);
    const clicks = await Promise.all(Array.from({ length: 4 }, () => feature(posts[0]!.id)));
    expect(clicks.map(({ body }) => body.added).sort()).toEqual([false, false, true, true]);
  });

  it('is shown with hostile HTML as text, to its author in the editor as it was written', async () => {
    const content = 'Hi <img src=x onerror=alert(1)> <b>you</b> [x](javascript:alert(2))';
    const { id, slug } = await world.post({ by: ada, content });
    const safe = 'Hi &lt;img src=x onerror=alert(1)> <b>you</b> \\[x](javascript:alert(2))';

    expect((await read(`/p/${slug}`)).body.data.content).toBe(safe);
    expect((await read(`/private/p/${slug}?postId=undefined`, ada)).body.data.content).toBe(safe);
    expect((await read(`/private/p/slug?postId=${id}`, moderator)).body.data.content).toBe(safe);
    expect((await read(`/private/p/slug?postId=${id}`, ada)).body.data.content).toBe(content);
  });

  it('has a preview without Markdown', async () => {
    const { id } = await world.post({ by: ada, content: 'A `<iframe srcdoc="1">` \\*b\\* & c' });

    expect((await read(`/u/posts/byids?ids=${id}`)).body.data[0].contentPreview).not.toMatch(
      /[<]|[^\\]\*|&(?!lt;|amp;)/,
    );
  });
});

describe('lists of posts', () => {
  it('are read by ids, of public posts only', async () => {
    const { id } = await world.post({ by: ada });
    const hidden = await world.post({ by: ada, isPublic: false });
    const ids = [id, hidden.id, NONE].join(',');

    expect((await read(`/u/posts/byids?ids=${ids}`)).body).toEqual({
      ...{ success: true, results: 1, data: [openCanvasCard(ada, { _id: id })] },
    });
    expect((await send('POST', '/author/posts/byids', undefined, { postIds: ids })).body.posts).toHaveLength(1);
    expectOpenCanvasError(await read('/u/posts/byids?ids=undefined'), 400, expect.stringContaining('ids'));
  });

  it('have numbered pages and a total: mine, those of an author, saved ones', async () => {
    const [author, reader] = await world.people(2);
    const ids: string[] = [];
    for (const isPublic of [true, false, true]) ids.unshift((await world.post({ by: author, isPublic })).id);
    for (const postId of [ids[0], ids[2]]) await send('POST', '/post/save-unsave', reader, { postId });
    const list = async (path: string, by?: Person): Promise<[string[], number]> => {
      const { data, total } = (await read(path, by)).body;
      return [data.map(({ _id }: { _id: string }) => _id), total];
    };

    expect(await list('/u/posts/mine?page=1&limit=2', author)).toEqual([ids.slice(0, 2), 3]);
    expect(await list('/u/posts/mine?page=2&limit=2', author)).toEqual([ids.slice(2), 3]);
    expect(await list(`/u/${author.id}/posts?page=1&limit=20`)).toEqual([[ids[0], ids[2]], 2]);
    expect(await list('/saved/posts?page=2&limit=1', reader)).toEqual([[ids[0]], 2]);
    expectOpenCanvasError(await read(`/u/${NONE}/posts?page=1&limit=20`), 404, 'User not found');
    expectOpenCanvasError(await read('/u/undefined/posts?page=1&limit=20'), 400);
    expectOpenCanvasError(
      await read('/u/posts/mine?page=102&limit=100', author),
      400,
      expect.stringContaining('10000'),
    );
  });
});
