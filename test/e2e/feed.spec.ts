import type { Document } from 'mongodb';
import { useApp } from '../support/app.js';

type Card = { id: string; type: string; tags: string[]; author: { id: string; username: string }; createdAt: string };
type FeedBody = { data: Card[]; page: { nextCursor: string | null } };
type Ranked = Document & { rank: Record<string, number> };

const countTags = [{ $match: { isListed: true } }, { $unwind: '$tags' }, { $sortByCount: '$tags' }];

describe('GET /v1/feed', () => {
  const app = useApp({ seeded: 'small', env: { CACHE_FEED_TTL_MS: '0' } });

  async function page(query: string): Promise<FeedBody> {
    const response = await fetch(`${app.url}/v1/feed${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as FeedBody;
  }

  /** Returns every card of a feed, paged with changing limits. No page may be short before the end. */
  async function walkWithLimits(query: string, limits = [7, 20, 1, 50]): Promise<Card[]> {
    const cards: Card[] = [];
    let cursor: string | null = null;
    for (let turn = 0; ; turn++) {
      const limit = limits[turn % limits.length]!;
      const separator = query === '' ? '?' : '&';
      const next: FeedBody = await page(
        `${query}${separator}limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      cards.push(...next.data);
      cursor = next.page.nextCursor;
      if (cursor === null) return cards;
      expect(next.data).toHaveLength(limit);
    }
  }

  const listed = (extra: Document = {}): Promise<Ranked[]> =>
    app.db
      .collection<Ranked>('posts')
      .find({ isListed: true, ...extra })
      .toArray();
  const idsBy = (rows: Ranked[], field: string): string[] =>
    rows.sort((a, b) => b.rank[field]! - a.rank[field]!).map((row) => String(row._id));

  it('hot: every listed post once, by score', async () => {
    expect((await walkWithLimits('')).map((card) => card.id)).toEqual(idsBy(await listed(), 'hotA'));
  });

  it('latest: every listed post once, newest first', async () => {
    const expected = (await listed())
      .map((row) => String(row._id))
      .sort()
      .reverse();
    expect((await walkWithLimits('?sort=latest')).map((card) => card.id)).toEqual(expected);
  });

  it.each([
    ['day', 1],
    ['week', 7],
    ['month', 30],
    ['year', 365],
    ['all', 100_000],
  ])('top of the %s: the posts of that age, by engagement', async (window, days) => {
    const epoch = await app.db.collection<{ scoredAt: Date }>('score_epochs').findOne({});
    const since = new Date(epoch!.scoredAt.getTime() - days * 86_400_000);
    const expected = idsBy(await listed({ createdAt: { $gte: since } }), 'topA');
    expect((await walkWithLimits(`?sort=top&window=${window}`)).map((card) => card.id)).toEqual(expected);
  });

  it.each(['hot', 'latest', 'top'])('%s with tag, type and author, alone and together', async (sort) => {
    const [popular] = await app.db.collection('posts').aggregate<{ _id: string }>(countTags).toArray();
    const tag = encodeURIComponent(popular!._id);
    const all = await walkWithLimits(`?sort=${sort}`);
    const author = all[0]!.author.username;
    const tagged = all.filter((card) => card.tags.includes(popular!._id));
    const isPoem = (card: Card): boolean => card.type === 'poem';
    expect(tagged.length).toBeGreaterThan(10);
    expect(await walkWithLimits(`?sort=${sort}&tag=${tag}`)).toEqual(tagged);
    expect(await walkWithLimits(`?sort=${sort}&type=poem`)).toEqual(all.filter(isPoem));
    expect(await walkWithLimits(`?sort=${sort}&type=poem&tag=${tag}`)).toEqual(tagged.filter(isPoem));
    const own = all.filter((card) => card.author.username === author);
    expect(await walkWithLimits(`?sort=${sort}&author=${author}`)).toEqual(own);
    expect(await walkWithLimits(`?sort=${sort}&author=${author}&type=poem`)).toEqual(own.filter(isPoem));
  });

  it('responds with an empty page for an empty feed, and with 404 for an unknown author', async () => {
    expect(await page('?tag=nobody-uses-this')).toEqual({ data: [], page: { nextCursor: null } });
    const response = await fetch(`${app.url}/v1/feed?author=nobody_here`);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'user_not_found']);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit[$gt]=1', 'limit[$gt]'],
    ['sort=random', 'sort'],
    ['type[$ne]=poem', 'type[$ne]'],
    ['tag=a%20b', 'tag'],
    ['cursor=abc', 'cursor'],
    [`cursor=${'A'.repeat(48)}`, 'cursor'],
    ['page=2', 'page'],
  ])('refuses ?%s and names %s', async (query, field) => {
    const response = await fetch(`${app.url}/v1/feed?${query}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const problem = (await response.json()) as { errors: { field: string }[] };
    expect(problem.errors.map((error) => error.field)).toContain(field);
  });

  it('says that a limit is no whole number, rather than that it is too large', async () => {
    for (const limit of ['ten', '7.5']) {
      const problem = (await (await fetch(`${app.url}/v1/feed?limit=${limit}`)).json()) as { errors: unknown[] };
      expect(problem.errors).toEqual([{ field: 'limit', message: 'must be a whole number' }]);
    }
  });

  it('refuses the cursor of another feed', async () => {
    const cursor = (await page('?limit=2')).page.nextCursor!;
    for (const query of ['sort=latest', 'type=poem', 'sort=top']) {
      const response = await fetch(`${app.url}/v1/feed?${query}&cursor=${cursor}`);
      expect([query, response.status]).toEqual([query, 400]);
      await response.arrayBuffer();
    }
  });
});

describe('the feed, cached', () => {
  const app = useApp({ seeded: 'tiny' });
  /** Reads the whole response, because an unread body keeps its connection open. */
  async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(app.url + path, { headers: { 'Accept-Encoding': 'identity', ...headers } });
    const bytes = await answer.arrayBuffer();
    return new Response(answer.status === 304 ? null : bytes, answer);
  }

  it('is a hit for every spelling of a page, byte for byte, and 304 for its ETag', async () => {
    const miss = await get('/v1/feed?limit=5');
    expect(miss.headers.get('x-cache')).toBe('MISS');
    const bytes = await miss.text();
    const spellings = ['?limit=5', '?sort=hot&limit=5', '?limit=5&sort=hot&window=all', '?limit=5'];
    for (const path of spellings.map((spelling) => `/v1/feed${spelling}`)) {
      const hit = await get(path);
      expect([path, hit.headers.get('x-cache')]).toEqual([path, 'HIT']);
      expect(await hit.text()).toBe(bytes);
      expect(hit.headers.get('etag')).toBe(miss.headers.get('etag'));
      expect(hit.headers.get('link')).toContain('rel="next"');
      expect(hit.headers.get('cache-control')).toMatch(
        /^public, max-age=0, s-maxage=30, stale-while-revalidate=\d+, stale-if-error=\d+$/,
      );
      expect(hit.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const unchanged = await get('/v1/feed?limit=5', { 'If-None-Match': miss.headers.get('etag')! });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    const head = await fetch(`${app.url}/v1/feed?limit=5`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(bytes))]);
  });

  it.each([
    ['a cookie', { cookie: '_ga=1' }, 8],
    ['a reload', { 'cache-control': 'no-cache', pragma: 'no-cache' }, 9],
    ['a range', { range: 'bytes=0-9' }, 10],
  ])('shares the answer with a request that has %s', async (_, headers, limit) => {
    const path = `/v1/feed?limit=${limit}`;
    expect((await get(path, headers)).headers.get('x-cache')).toBe('MISS');
    const plain = await get(path);
    const known = await get(path, headers);
    expect([plain, known].map((answer) => answer.headers.get('x-cache'))).toEqual(['HIT', 'HIT']);
    expect(known.headers.get('cache-control')).toBe(plain.headers.get('cache-control'));
    expect(known.status).toBe(200);
    expect(await known.text()).toBe(await plain.text());
  });

  it('compresses once per page and gives each encoding its own ETag', async () => {
    await get('/v1/feed?limit=30');
    // The first request for an encoding gets plain bytes. The encoding is computed outside of the hot path.
    const deadline = Date.now() + 10_000;
    let br = await get('/v1/feed?limit=30', { 'Accept-Encoding': 'br' });
    while (br.headers.get('content-encoding') === null && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      br = await get('/v1/feed?limit=30', { 'Accept-Encoding': 'br' });
    }
    expect(br.headers.get('content-encoding')).toBe('br');
    expect(br.headers.get('vary')).toContain('Accept-Encoding');
    const plain = await get('/v1/feed?limit=30', { 'Accept-Encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await br.text()).toBe(await plain.text());
    expect(br.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });
});
