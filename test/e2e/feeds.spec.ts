import { Binary, ObjectId } from 'mongodb';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { CpuPool } from '../../src/platform/cpu-pool/cpu-pool.js';
import { RENDERER } from '../../src/posts/html/post-html.schema.js';
import { compressBody } from '../../src/rendering/body-codec.js';
import { AUTHOR_CHANGED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { runHandlers } from '../support/cleanup.js';
import { READ, type ReadEntry, type ReadFeed } from '../support/feed-rules.js';
import type { Person } from '../support/world.js';

const SITE = 'https://site.example';
const API = 'https://api.example';
const FORMATS = ['atom', 'rss', 'json'] as const;
const TYPES = { atom: 'application/atom+xml', rss: 'application/rss+xml', json: 'application/feed+json' };

const HOSTILE = `]]> <script>alert("1")</script> &amp; 'x' 😀 \ufffe\u{1d4b3}`;
/** `HOSTILE` as XML represents it. */
const SHOWN = HOSTILE.replace('\ufffe', '\ufffd');
const CONTENT =
  'See [there](/p/other), [here](#note), ![p](images/a.png), <a href="//cdn.example/?a=1&b=2">b</a> and ' +
  '[abroad](https://example.org/?a=1&b=2) \u000b\ufffe ]]> <script>alert(2)</script> $x^2$\n\n# Note\n\n`<a href="/code">`';

describe('feeds', () => {
  const site = { PUBLIC_SITE_URL: `${SITE}/`, PUBLIC_SITE_NAME: 'Looms & Letters', HTTP_PUBLIC_URL: API };
  const app = useApp({
    oneHost: 'each host has a cache of its own, and the next request may reach any',
    // `forget` empties the cache of the process alone.
    env: { ...site, CACHE_L2: 'false' },
  });
  const { world } = app;
  let ada: Person;
  let bob: Person;
  let list: { id: string; slug: string };
  const ids: string[] = [];

  const publishPost = async (fields: object = {}, by = ada): Promise<{ id: string; slug: string }> => {
    const body = { title: 'Notes', content: 'Text.', type: 'article', tags: ['looms'], ...fields };
    const answer = await app.client.post('/v1/posts', { token: by.token, body });
    expect(answer.status).toBe(201);
    // Without this, feeds would show the post only after up to 30 s.
    forget();
    return answer.body;
  };
  const forget = (): void => app.everyOf(ResponseCache).forEach(({ store }) => store.clear());
  const readFeed = async (path: string, format: string): Promise<ReadFeed> => {
    const { status, body } = await app.client.get(`${path}.${format}`);
    expect([path, status]).toEqual([path, 200]);
    return READ[format]!(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const entryOf = async (path: string, id: string, format = 'atom'): Promise<ReadEntry | undefined> =>
    (await readFeed(path, format)).entries.find((entry) => entry.id.endsWith(`posts/${id}`));

  beforeAll(async () => {
    [ada, bob] = await world.people(2);
    const thumbnailUrl = 'https://images.example.org/a.png?b=1&c=2';
    for (const fields of [{}, { title: HOSTILE, content: CONTENT, thumbnailUrl }, { content: 'Third.' }])
      ids.push((await publishPost(fields)).id);
    list = await world.collection({ by: bob, title: 'A & B', posts: ids });
  });

  const paths = () => [
    '/v1/feeds/latest',
    '/v1/feeds/hot',
    '/v1/feeds/top',
    `/v1/users/${ada.username}/feed`,
    '/v1/tags/looms/feed',
    `/v1/collections/${list.id}/feed`,
  ];

  it.each(FORMATS)('are valid %s for any title and text', async (format) => {
    for (const path of paths()) {
      const { headers } = await app.client.get(`${path}.${format}`);
      expect(headers.get('content-type')).toBe(`${TYPES[format]}; charset=utf-8`);
      const { self, entries } = await readFeed(path, format);
      expect(self).toBe(`${API}${path}.${format}`);
      expect(entries.map(({ id }) => id).sort()).toEqual(ids.map((id) => `tag:site.example,2026:posts/${id}`).sort());
      const [, hostile] = ids;
      const entry = entries.find(({ id }) => id.endsWith(hostile!))!;
      expect(entry.title).toBe(format === 'json' ? HOSTILE : SHOWN);
      expect(entry.url).toBe(`${SITE}/p/${new URL(entry.url).pathname.slice('/p/'.length)}`);
      expect(entry.url.endsWith(hostile!)).toBe(true);
      for (const link of [
        `href="${SITE}/p/other"`,
        `href="${entry.url}#user-content-note"`,
        `src="${SITE}/p/images/a.png"`,
        'href="https://cdn.example/?a=1&#x26;b=2"',
        'href="https://example.org/?a=1&#x26;b=2"',
      ])
        expect(entry.html).toContain(link);
      expect(entry.html).not.toContain('<script');
      expect(entry.html).toContain('<math xmlns="http://www.w3.org/1998/Math/MathML">');
      expect(entry.html).not.toMatch(/katex|annotation/);
      // Markup inside code stays text.
      expect(entry.html).toContain('&#x3C;a href="/code">');
    }
  });

  it.each([
    ['atom', '<media:thumbnail url="https://images.example.org/a.png?b=1&#38;c=2">'],
    ['rss', '<media:content url="https://images.example.org/a.png?b=1&#38;c=2" medium="image">'],
  ])('show the picture of a post in %s', async (format, element) => {
    expect((await app.client.get<string>(`/v1/feeds/latest.${format}`)).body).toContain(element);
  });

  it('have the newest first, and of a collection the last ones', async () => {
    const newestFirst = [...ids].reverse();
    for (const path of ['/v1/feeds/latest', `/v1/collections/${list.slug}/feed`]) {
      const { entries } = await readFeed(path, 'json');
      expect(entries.map(({ id }) => id.slice(-24))).toEqual(newestFirst);
    }
  });

  it('are 304 for their ETag, and computed once for all clients', async () => {
    const path = '/v1/feeds/latest.rss';
    const first = await app.client.get(path);
    const second = await app.client.get(path);
    expect(second.headers.get('x-cache')).toBe('HIT');
    expect(second.body).toBe(first.body);
    const newest = (await app.client.get(`/v1/posts/${ids[2]}`)).body.updatedAt;
    expect(first.headers.get('last-modified')).toBe(new Date(newest).toUTCString());
    const headers = { 'if-none-match': first.headers.get('etag')! };
    const again = await app.client.get(path, { headers });
    expect([again.status, again.body]).toEqual([304, '']);
    expect(again.headers.get('last-modified')).toBe(first.headers.get('last-modified'));
    // Every host returns the same bytes.
    forget();
    expect((await app.client.get(path, { headers })).status).toBe(304);
  });

  it('are 304 if If-Modified-Since equals Last-Modified, unless If-None-Match differs', async () => {
    const path = '/v1/feeds/latest.atom';
    for (const state of ['MISS', 'HIT']) {
      if (state === 'MISS') forget();
      const since = (await app.client.get('/v1/feeds/latest.rss')).headers.get('last-modified')!;
      const other = new Date(Date.parse(since) + 1_000).toUTCString();
      const statusWith = async (headers: Record<string, string>) => (await app.client.get(path, { headers })).status;
      expect(await statusWith({ 'if-modified-since': since })).toBe(304);
      expect(await statusWith({ 'if-modified-since': other })).toBe(200);
      expect(await statusWith({ 'if-modified-since': since, 'if-none-match': '"other"' })).toBe(200);
    }
  });

  it('are one feed under any query', async () => {
    const path = '/v1/feeds/latest.atom';
    const plain = await app.client.get(path);
    for (const query of ['utm_source=a&utm_medium=b', 'limit=1', '_=1']) {
      const { status, headers, body } = await app.client.get(`${path}?${query}`);
      expect([query, status, headers.get('x-cache'), body]).toEqual([query, 200, 'HIT', plain.body]);
    }
  });

  it('stay as they are while others publish, and change with each post that they show', async () => {
    const path = '/v1/tags/looms/feed.atom';
    const stateOf = async (): Promise<string | null> => (await app.client.get(path)).headers.get('x-cache');
    expect([await stateOf(), await stateOf()]).toEqual(['MISS', 'HIT']);
    const { id } = await world.post({ by: bob, tags: ['looms'] });
    expect(await stateOf()).toBe('HIT');
    for (const change of [
      () => app.client.patch(`/v1/posts/${ids[0]}`, { token: ada.token, body: { title: 'Other notes' } }),
      () => app.client.patch(`/v1/posts/${ids[0]}`, { token: ada.token, body: { title: 'Notes' } }),
      () => app.client.delete(`/v1/posts/${id}`, { token: bob.token }),
    ]) {
      expect((await change()).status).toBeLessThan(300);
      expect([await stateOf(), await stateOf()]).toEqual(['MISS', 'HIT']);
    }
  });

  it('render texts that were never rendered, and are the same as before', async () => {
    const path = '/v1/tags/looms/feed.atom';
    const before = await app.client.get(path);
    const rows = app.db.collection('post_html');
    const _id = { $in: ids.map((id) => new ObjectId(id)) };
    for (const lose of [
      () => rows.deleteMany({ _id }),
      () => rows.updateMany({ _id }, { $set: { renderer: RENDERER - 1 } }),
    ]) {
      await lose();
      forget();
      const after = await app.client.get(path);
      expect([after.status, after.body]).toEqual([200, before.body]);
      expect(await rows.countDocuments({ _id, renderer: RENDERER })).toBe(ids.length);
    }
  });

  it('are 503 instead of incomplete when texts cannot be rendered in time', async () => {
    const path = '/v1/tags/looms/feed.atom';
    const before = await app.client.get(path);
    await app.db.collection('post_html').deleteOne({ _id: new ObjectId(ids[0]) });
    forget();
    const flag = new Int32Array(new SharedArrayBuffer(8));
    const task = { name: 'test', module: new URL('../support/pool-task.mjs', import.meta.url), limitMs: 60_000 };
    const holding = app.everyOf(CpuPool).map((pool) => pool.run(task, { does: 'hold', flag }, null));
    const { status, headers } = await app.client.get(path);
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    await Promise.all(holding);
    expect((await app.patient.get(path)).body).toEqual(before.body);
  });

  it('show no post twice when it and its author are renamed', async () => {
    const path = `/v1/users/${bob.username}/feed`;
    const { id } = await publishPost({ title: 'Before' }, bob);
    const before = (await entryOf(path, id))!;
    await app.client.patch(`/v1/posts/${id}`, { token: bob.token, body: { title: 'After' } });
    const username = `${bob.username.slice(0, 12)}_new`.slice(0, 16);
    const renamed = await app.client.patch('/v1/users/me', {
      token: bob.token,
      body: { username, fullName: 'Bob New' },
    });
    expect(renamed.status).toBe(200);
    await runHandlers(app, AUTHOR_CHANGED, new ObjectId(bob.id));
    for (const format of FORMATS) {
      // The earlier name redirects.
      for (const name of [bob.username, username]) {
        const { entries, self } = await readFeed(`/v1/users/${name}/feed`, format);
        expect(entries).toHaveLength(1);
        expect(entries[0]).toMatchObject({ id: before.id, title: 'After', author: 'Bob New' });
        expect(entries[0]!.url).toBe(`${SITE}/p/after-${id}`);
        expect(self).toBe(`${API}/v1/users/${username}/feed.${format}`);
      }
    }
  });

  it('lose a hidden or deleted post with the response', async () => {
    const paths = [
      '/v1/feeds/latest',
      `/v1/users/${ada.username}/feed`,
      '/v1/tags/weaving/feed',
      `/v1/collections/${list.id}/feed`,
    ];
    for (const withdraw of [
      (id: string) => app.client.patch(`/v1/posts/${id}`, { token: ada.token, body: { isPublic: false } }),
      (id: string) => app.client.delete(`/v1/posts/${id}`, { token: ada.token }),
    ]) {
      const { id } = await publishPost({ tags: ['weaving'] });
      await app.client.put(`/v1/collections/${list.id}/posts/${id}`, { token: bob.token, body: {} });
      for (const path of paths) expect([path, await entryOf(path, id)]).toEqual([path, expect.anything()]);
      await withdraw(id);
      for (const path of paths) expect([path, await entryOf(path, id)]).toEqual([path, undefined]);
    }
  });

  it('are empty for a tag without posts, and 404 for a missing or private source', async () => {
    for (const format of FORMATS) {
      expect((await readFeed('/v1/tags/nothing/feed', format)).entries).toEqual([]);
      expect((await readFeed('/v1/tags/N%C3%96thing/feed', format)).self).toBe(
        `${API}/v1/tags/n%C3%B6thing/feed.${format}`,
      );
    }
    const { headers } = await app.client.get('/v1/tags/nothing/feed.atom');
    expect(new Date(headers.get('last-modified')!).getFullYear()).toBeGreaterThanOrEqual(2026);
    const hidden = await world.collection({ by: bob, isPublic: false });
    for (const [path, status] of [
      ['/v1/feeds/latest.xml', 404],
      ['/v1/feeds/best.atom', 404],
      ['/v1/feeds/latest', 404],
      [`/v1/users/${ada.username}/feed.html`, 404],
      ['/v1/users/nobody_here/feed.atom', 404],
      [`/v1/collections/${hidden.id}/feed.atom`, 404],
      ['/v1/tags/no%20tag/feed.atom', 400],
    ] as const)
      expect([path, (await app.client.get(path)).status]).toEqual([path, status]);
  });

  it('have the previews of texts that are too much together', async () => {
    const long: string[] = [];
    for (let at = 0; at < 4; at++) long.push((await publishPost({ content: `Text ${at}.`, tags: ['long'] })).id);
    // Three of these posts fit.
    const html = `<p>${'a'.repeat(220_000)}</p>`;
    const { rawLength, bytes } = compressBody(html);
    const rows = { _id: { $in: long.map((id) => new ObjectId(id)) } };
    await app.db.collection('post_html').updateMany(rows, { $set: { feed: { rawLength, bytes: new Binary(bytes) } } });
    for (const format of FORMATS) {
      const { entries } = await readFeed('/v1/tags/long/feed', format);
      expect(entries.map((entry) => entry.html)).toEqual([html, html, html, undefined]);
    }
    const { body } = await app.client.get('/v1/tags/long/feed.json');
    expect(body.items[3]).toMatchObject({ summary: 'Text 0.', content_text: 'Text 0.' });
  });

  it('are linked to by the lists of the same posts', async () => {
    const feedOf = async (path: string): Promise<string | undefined> => {
      const link = (await app.client.get(path)).headers.get('link') ?? '';
      return /<([^<>]+)>; rel="alternate"; type="application\/atom\+xml"/.exec(link)?.[1];
    };
    for (const [path, feed] of [
      ['/v1/feed', '/v1/feeds/hot.atom'],
      ['/v1/feed?sort=latest&limit=1', '/v1/feeds/latest.atom'],
      ['/v1/feed?sort=top', '/v1/feeds/top.atom'],
      ['/v1/feed?tag=LOOMS', '/v1/tags/looms/feed.atom'],
      ['/v1/feed?tag=%C3%A9t%C3%A9', '/v1/tags/%C3%A9t%C3%A9/feed.atom'],
      [`/v1/feed?author=${ada.username}`, `/v1/users/${ada.username}/feed.atom`],
      [`/v1/collections/${list.slug}`, `/v1/collections/${list.id}/feed.atom`],
      [`/v1/users/${ada.username}/posts?limit=1`, `/v1/users/${ada.username}/feed.atom`],
      ['/v1/feed?sort=top&window=week', undefined],
      ['/v1/feed?type=poem', undefined],
    ] as const) {
      expect([path, await feedOf(path)]).toEqual([path, feed]);
      if (feed !== undefined) expect((await app.client.get(feed)).status).toBe(200);
    }
    // A hit has the header, too, beside the link to the next page.
    const hit = await app.client.get('/v1/feed?sort=latest&limit=1');
    expect(hit.headers.get('x-cache')).toBe('HIT');
    expect(hit.headers.get('link')).toMatch(/rel="next", <.*rel="alternate"/);
  });

  it('have the last public posts of a collection, with any number of hidden ones after them', async () => {
    const writer = await world.person();
    const shown = await world.post({ by: writer });
    const hidden: string[] = [];
    // Writes of one author are serialized. A busy machine would refuse the last of many concurrent ones.
    while (hidden.length < 60) hidden.push((await world.post({ by: writer, isPublic: false })).id);
    const { slug } = await world.collection({ by: writer, posts: [shown.id, ...hidden] });
    const { entries } = await readFeed(`/v1/collections/${slug}/feed`, 'json');
    expect(entries.map(({ id }) => id.slice(-24))).toEqual([shown.id]);
  });
});
