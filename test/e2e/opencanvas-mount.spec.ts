import { indexAll, useApp } from '../support/app.js';
import { expectOpenCanvasError, openCanvasCard, openCanvasClient } from '../support/opencanvas.js';

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

const app = useApp({ search: true, env: { OPENCANVAS_API: '/oc' } });
const { world } = app;
const { read, send } = openCanvasClient(app);

describe('the feed', () => {
  it('is a page of cards with a cursor, and from the first page for a cursor of OpenCanvas', async () => {
    const author = await world.person();
    for (let times = 0; times < 3; times++) await world.post({ by: author });
    const first = await read('/articles?limit=2&cursor=');
    const next = await read(`/articles?limit=2&cursor=${first.body.nextCursor}`);
    const foreign = Buffer.from('{"score":1.5,"lastId":"6650c3a2f1d2b3c4d5e6f7aa"}').toString('base64');

    expect(first.body).toEqual({
      ...{ success: true, results: 2, nextCursor: expect.any(String), hasMore: true },
      data: [openCanvasCard(author), openCanvasCard(author)],
    });
    expect(next.body.data[0]._id).not.toBe(first.body.data[0]._id);
    expect((await read(`/articles?limit=2&cursor=${encodeURIComponent(foreign)}`)).body).toEqual(first.body);
    expect((await send('POST', '/articles/anonymous-user', undefined, { limit: 2 })).body).toEqual({
      ...{ success: true, posts: first.body.data, hasMore: true, nextCursor: first.body.nextCursor },
    });
  });

  it('is cached like the feed of /v1, with the same headers on a hit', async () => {
    await read('/articles?limit=7');
    const hit = await read('/articles?limit=7');
    await world.post({ by: await world.person() });

    expect(hit.headers.get('x-cache')).toBe('HIT');
    expect((await read('/articles?limit=7')).headers.get('x-cache')).toBe('MISS');
  });

  it('has 1 to 50 cards a page', async () => {
    for (const limit of [0, 51, 'x']) {
      const answer = await read(`/articles?limit=${limit}`);
      expectOpenCanvasError(answer, 400, expect.stringContaining('limit'));
    }
  });

  it('has a greeting at its root', async () => {
    expect((await read('')).body).toEqual({ success: true, message: 'Welcome to OpenCanvas API' });
  });
});

describe('search', () => {
  it('finds people and posts', async () => {
    const author = await world.person({ fullName: 'Zebra Walrus' });
    const { id } = await world.post({ by: author, title: 'The walrus' });
    await indexAll(app);

    expect((await read('/search?q=walrus&type=all')).body.data).toMatchObject({
      ...{ page: 1, limit: 50, total: 2, usersTotal: 1, postsTotal: 1 },
      users: [{ _id: author.id, username: author.username, designation: '' }],
      posts: [{ _id: id, title: 'The walrus', authorSnapshot: { username: author.username } }],
    });
    expect((await read('/search?q=walrus&type=posts')).body.data).not.toHaveProperty('users');
    expectOpenCanvasError(await read('/search?q=%20'), 400);
  });
});

describe('the API at the root', () => {
  const root = useApp({ env: { OPENCANVAS_API: '/' } });

  it('shares /p/:slug with the page for crawlers, by Accept', async () => {
    const author = await root.world.person();
    const { id, slug } = await root.world.post({ by: author });
    const get = (accept: string) => root.client.get(`/p/${slug}`, { headers: { accept } });

    for (let times = 0; times < 2; times++) {
      const [json, page] = [await get('application/json, text/plain, */*'), await get(HTML)];
      expect([json.body.data._id, json.headers.get('vary')]).toEqual([id, expect.stringContaining('Accept')]);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      for (const { headers } of [json, page]) expect(headers.get('vary')).toMatch(/(^|, )Accept(,|$)/);
    }
  });

  it('leaves the addresses of the server as they are', async () => {
    expect((await root.client.get('/v1/feed')).body.page).toHaveProperty('nextCursor');
    expect((await root.client.get('/health/live')).status).toBe(200);
    expect((await root.client.get('/articles')).body.success).toBe(true);
    expect((await root.client.get('/')).body.message).toBe('Welcome to OpenCanvas API');
  });
});
