import { ShortWay } from '../../src/platform/cache/short-way.js';
import { OWN_HEADERS } from '../support/own-headers.js';
import { useSeededApp } from '../support/seeded.js';

type FeedBody = { data: { id: string }[]; page: { nextCursor: string } };

/** No answer of its own is stored of a request that asks for no stored one, so the framework computes it. */
const BY_THE_FRAMEWORK = { 'Cache-Control': 'no-cache' };

describe('the short way of plain reads', () => {
  const app = useSeededApp({
    profile: 'tiny',
    overrides: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_READS_PER_MINUTE: '150', CACHE_FEED_TTL_MS: '0' },
  });
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(app.url + path, { headers });
  const shortWay = (): ShortWay => app.app.get(ShortWay, { strict: false });
  const remaining = (answer: Response): number => Number(answer.headers.get('x-ratelimit-remaining'));
  const headersOf = (answer: Response): [string, string][] =>
    [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name)).sort(([a], [b]) => a.localeCompare(b));

  let cursor: string;
  let postId: string;
  beforeAll(async () => {
    // the first answers of each route teach the short way what the framework adds to them
    const first = (await (await get('/v1/feed?limit=5', BY_THE_FRAMEWORK)).json()) as FeedBody;
    cursor = first.page.nextCursor;
    postId = first.data[0]!.id;
    await get(`/v1/posts/${postId}`, BY_THE_FRAMEWORK);
    await get(`/v1/posts/${postId}/comments`, BY_THE_FRAMEWORK);
  });

  it.each<[string, () => string]>([
    ['the first page of the feed', () => '/v1/feed'],
    ['a page in the middle', () => `/v1/feed?cursor=${cursor}`],
    ['a page of another size', () => `/v1/feed?limit=7&cursor=${cursor}`],
    ['a post', () => `/v1/posts/${postId}`],
    ['a post by another slug', () => `/v1/posts/some-other-title-${postId}`],
    ['comments', () => `/v1/posts/${postId}/comments`],
    ['some comments', () => `/v1/posts/${postId}/comments?limit=2`],
  ])('answers %s exactly as the framework does', async (_what, path) => {
    const before = shortWay().counts.answered;
    const short = await get(path());
    expect(shortWay().counts.answered).toBe(before + 1);
    const long = await get(path(), BY_THE_FRAMEWORK);
    expect(shortWay().counts.answered).toBe(before + 1);
    expect([short.status, await short.text()]).toEqual([200, await long.text()]);
    expect(headersOf(short)).toEqual(headersOf(long));
    expect(short.headers.get('x-request-id')).toMatch(/^req-/);
    expect(short.headers.get('server-timing')).toMatch(/^total;dur=\d/);
  });

  it.each<[string, () => string, number, string]>([
    ['a forged cursor', () => `/v1/feed?cursor=${'A'.repeat(48)}`, 400, 'invalid_cursor'],
    ['a cursor of another list', () => `/v1/posts/${postId}/comments?cursor=${cursor}`, 400, 'invalid_cursor'],
    ['a post that is not there', () => '/v1/posts/64b000000000000000000001', 404, 'post_not_found'],
    ['comments of such a post', () => '/v1/posts/64b000000000000000000002/comments', 404, 'post_not_found'],
  ])('leaves %s to the framework, counted once', async (_what, path, status, code) => {
    const { failed } = shortWay().counts;
    const left = remaining(await get('/v1/feed?limit=3'));
    const answer = await get(path());
    expect(shortWay().counts.failed).toBe(failed + 1);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ code, status });
    // one for the failure, one for this question; places come back with time
    expect(remaining(await get('/v1/feed?limit=3'))).toBeGreaterThanOrEqual(left - 2);
  });

  it.each<[string, string, Record<string, string>]>([
    ['credentials', '/v1/feed', { Authorization: 'Bearer x.y.z' }],
    ['a cookie', '/v1/feed', { Cookie: 'a=b' }],
    ['a copy of its own', '/v1/feed', { 'If-None-Match': '"x"' }],
    ['an origin', '/v1/feed', { Origin: 'https://example.com' }],
    ['a filter', '/v1/feed?type=poem', {}],
    ['a parameter twice', '/v1/feed?limit=3&limit=4', {}],
    ['a limit out of bounds', '/v1/feed?limit=101', {}],
    ['an unknown parameter', '/v1/feed?page=2', {}],
  ])('takes no request with %s', async (_what, path, headers) => {
    const { answered, failed } = shortWay().counts;
    await get(path, headers);
    expect(shortWay().counts).toEqual({ answered, failed });
  });
});

describe('the short way behind a proxy', () => {
  const app = useSeededApp({
    profile: 'tiny',
    overrides: { HTTP_TRUSTED_PROXIES: '127.0.0.1', CACHE_FEED_TTL_MS: '0' },
  });

  it('leaves forwarded requests to the framework, which knows whose they are', async () => {
    const shortWay = app.app.get(ShortWay, { strict: false });
    const get = (headers: Record<string, string>): Promise<Response> => fetch(`${app.url}/v1/feed`, { headers });
    await get({ 'X-Forwarded-For': '10.0.0.1' });
    await get({ 'X-Forwarded-For': '10.0.0.1' });
    expect(shortWay.counts.answered).toBe(0);
    await get({});
    expect(shortWay.counts.answered).toBe(1);
  });
});
