import { ObjectId } from 'mongodb';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { PublicPostsByMonthService } from '../../src/posts/public-posts-by-month.service.js';
import { useApp } from '../support/app.js';
import { createClient } from '../support/client.js';
import { plansOf } from '../support/plans.js';
import { children, parseXml, textOf } from '../support/xml.js';
import type { Person } from '../support/world.js';

const SITE = 'https://site.example/community';
const API = 'https://api.example';
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

describe('the sitemap of a server without a site', () => {
  const app = useApp({ env: { HTTP_PUBLIC_URL: API, SITE: 'off' } });

  it('contains posts, whose pages are on this server, and no JSON', async () => {
    const ada = await app.world.person();
    const { id } = await app.world.post({ by: ada });
    // Search engines ignore a sitemap that lists pages which are not canonical.
    await app.world.post({ by: ada, canonicalUrl: 'https://blog.example/first' });
    await app.world.collection({ by: ada, title: 'Public' });
    const month = new Date().toISOString().slice(0, 7);
    const addresses = async (path: string, tag: string): Promise<string[]> => {
      const { status, body } = await app.client.get(path);
      expect([path, status]).toEqual([path, 200]);
      return children(parseXml(body), tag).map((one) => textOf(one, 'loc'));
    };
    const file = `/sitemaps/posts-${month}-1.xml`;
    expect(await addresses('/sitemap.xml', 'sitemap')).toEqual([`${API}${file}`]);
    expect(await addresses(file, 'url')).toEqual([expect.stringMatching(`^${API}/p/.*${id}$`)]);
    for (const name of [`people-${month}-1`, `collections-${month}-1`, 'tags'])
      expect([name, (await app.client.get(`/sitemaps/${name}.xml`)).status]).toEqual([name, 404]);
  });
});

describe('the sitemap', () => {
  const app = useApp({ env: { PUBLIC_SITE_URL: SITE, HTTP_PUBLIC_URL: API } });
  const { world } = app;
  let ada: Person;
  let bob: Person;

  /** Returns the URLs in a file, or the files in the index. */
  async function locations(path: string, root = 'urlset'): Promise<string[]> {
    const { status, headers, body } = await app.client.get(path);
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'application/xml; charset=utf-8']);
    const parsed = parseXml(body);
    expect([parsed.nodeName, parsed.namespaceURI]).toEqual([root, NAMESPACE]);
    return children(parsed, root === 'urlset' ? 'url' : 'sitemap').map((one) => textOf(one, 'loc'));
  }
  const files = async (): Promise<string[]> => {
    const listed = await locations('/sitemap.xml', 'sitemapindex');
    expect(listed.every((url) => url.startsWith(`${API}/sitemaps/`))).toBe(true);
    return listed.map((url) => url.slice(API.length));
  };
  const monthOf = (date: Date): string => date.toISOString().slice(0, 7);

  beforeAll(async () => {
    const people = await world.people(3);
    [ada, bob] = people;
    for (let at = 0; at < 12; at++) {
      const { id } = await world.post({ by: at % 2 === 0 ? ada : bob, isPublic: at % 4 !== 3 });
      // Some posts are at the edges of months.
      const createdAt = [
        '2026-01-31T23:59:59.999Z',
        '2026-02-01T00:00:00.000Z',
        '2026-02-28T12:00:00Z',
        '2026-12-31T23:59:59.999Z',
      ][at % 4]!;
      await app.db
        .collection('posts')
        .updateOne({ _id: new ObjectId(id) }, { $set: { createdAt: new Date(createdAt) } });
      if (at === 4) await app.client.delete(`/v1/posts/${id}`, { token: ada.token });
    }
    await world.collection({ by: ada, title: 'Public' });
    await world.collection({ by: ada, title: 'Private', isPublic: false });
    for (const { store } of app.everyOf(ResponseCache)) store.clear();
  });

  it('contains every public post, writer, collection and tag once, and no hidden ones', async () => {
    const all: string[] = [];
    for (const file of await files()) all.push(...(await locations(file)));
    const posts = await app.db.collection('posts').find({ isListed: true }).toArray();
    const collections = await app.db.collection('collections').find({ isListed: true }).toArray();
    expect([posts.length, collections.length]).toEqual([8, 1]);
    const expected = [
      ...posts.map(({ slug, _id }) => `${SITE}/p/${slug}-${_id.toHexString()}`),
      ...[ada, bob].map(({ username }) => `${SITE}/u/${username}`),
      ...collections.map(({ slug, _id }) => `${SITE}/collections/${slug}-${_id.toHexString()}`),
      `${SITE}/tags/engines`,
    ];
    expect(all.sort()).toEqual(expected.sort());
  });

  it('has them in the month of their publication', async () => {
    const listed = await files();
    const months = listed.filter((file) => file.includes('/posts-'));
    expect(months).toEqual(['/sitemaps/posts-2026-01-1.xml', '/sitemaps/posts-2026-02-1.xml']);
    expect(listed).toContain(`/sitemaps/people-${monthOf(new Date())}-1.xml`);
    expect(await locations(months[0]!)).toHaveLength(2);
    const { body } = await app.client.get(months[1]!);
    const changed = children(parseXml(body), 'url').map((url) => textOf(url, 'lastmod'));
    expect(changed).toHaveLength(6);
    for (const date of changed) expect(new Date(date).toISOString()).toBe(date);
  });

  it('is split when a file is full, without a gap', async () => {
    const posts = app.app.get(PublicPostsByMonthService);
    const found: string[] = [];
    for (let skip = 0; ; skip += 4) {
      const part: string[] = [];
      for await (const rows of posts.inMonth('2026-02', skip, 4)) part.push(...rows.map(({ slug }) => slug));
      if (part.length === 0) break;
      found.push(...part);
    }
    expect(found).toHaveLength(6);
    expect(new Set(found).size).toBe(6);
  });

  it('is 304 for a matching ETag, and loses a hidden or deleted post with the response', async () => {
    const { id } = await world.post({ by: ada });
    const file = `/sitemaps/posts-${monthOf(new Date())}-1.xml`;
    const first = await app.client.get(file);
    expect(first.body).toContain(id);
    const headers = { 'if-none-match': first.headers.get('etag')! };
    expect((await app.client.get(file, { headers })).status).toBe(304);
    expect((await app.client.get(file)).headers.get('x-cache')).toBe('HIT');
    await app.client.patch(`/v1/posts/${id}`, { token: ada.token, body: { isPublic: false } });
    expect((await app.client.get(file)).status).toBe(404);
    // The file of another month stays cached.
    const other = '/sitemaps/posts-2026-01-1.xml';
    await app.client.get(other);
    await world.post({ by: ada });
    expect((await app.client.get(other)).headers.get('x-cache')).toBe('HIT');
    expect((await app.client.get(file)).status).toBe(200);
  });

  it.each([
    'posts-2026-02-2.xml',
    'posts-2026-13-1.xml',
    'posts-2026-2-1.xml',
    'posts-2026-02-0.xml',
    'posts-2026-02-1000.xml',
    'drafts-2026-02-1.xml',
    'posts-2026-02-1',
    '__proto__-2026-02-1.xml',
  ])('has no file %s', async (file) => {
    const { status, body } = await app.client.get(`/sitemaps/${file}`);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it.each(['posts', 'people', 'collections'])('reads nothing for files of %s that are not there', async (kind) => {
    const absent = async (name: string, client = app.client): Promise<void> =>
      expect((await client.get(`/sitemaps/${kind}-${name}.xml`)).status).toBe(404);
    // Each host may count the posts.
    for (const { url } of app.hosts) await absent('2001-01-1', createClient(url));
    const reads = await plansOf(app, async () => {
      for (const name of ['2000-01-1', '2000-01-999', '2026-02-999', `${monthOf(new Date())}-999`]) await absent(name);
    });
    expect(reads).toEqual([]);
  });

  it('is computed once for any query string', async () => {
    const file = '/sitemaps/posts-2026-01-1.xml';
    await app.client.get(file);
    expect((await app.client.get(`${file}?a=1`)).headers.get('x-cache')).toBe('HIT');
  });

  it('is named by robots.txt, which lets crawlers fetch the same paths as clients', async () => {
    const { status, headers, body } = await app.client.get('/robots.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(body).toBe(`User-agent: *\nDisallow:\n\nSitemap: ${API}/sitemap.xml\n`);
  });
});
