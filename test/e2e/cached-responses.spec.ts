import { setTimeout as sleep } from 'node:timers/promises';
import type { CacheEntry } from '../../src/platform/cache/cache-entry.js';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';

const FEED = '/v1/feed?sort=top&window=month&limit=33';

describe('a page that is requested in many spellings', () => {
  const app = useApp({
    oneHost: 'each host has a cache of its own, and spellings are sent to any',
    env: {
      CACHE_FEED_TTL_MS: '60000',
      CACHE_STALE_MS: '60000',
    },
  });
  const { world } = app;
  let author: Person;
  beforeAll(async () => {
    author = await world.person();
  });

  /** A cache hit on the raw listener has no Server-Timing, because the framework has not seen the request. */
  async function look(path: string): Promise<string> {
    const { status, headers } = await app.client.get(path);
    return `${status} ${headers.get('x-cache')} ${headers.has('server-timing') ? 'by the framework' : 'by the listener'}`;
  }

  const oddFeeds = (count: number): string[] =>
    [
      '/v1/feed?limit=33&window=month&sort=top',
      '/v1/feed?window=month&limit=33&sort=top',
      ...Array.from({ length: count }, (_, index) => `${FEED}${'&'.repeat(index + 1)}`),
    ].slice(0, count);

  async function renewalOf(old: CacheEntry): Promise<void> {
    const { store } = app.app.get(ResponseCache);
    while ([undefined, old].includes(store.getByUrl(FEED))) await sleep(5);
  }

  it.each([8, 100])('is served by the listener under its canonical URL, after %d other spellings', async (count) => {
    app.app.get(ResponseCache).store.clear();
    for (const path of oddFeeds(count)) expect((await app.client.get(path)).status).toBe(200);
    expect(await look(FEED)).toBe('200 HIT by the listener');
    // One of the other spellings renews the entry.
    const { store } = app.app.get(ResponseCache);
    const held = store.getByUrl(FEED)!;
    Object.assign(held, { freshUntil: performance.now() });
    for (const path of oddFeeds(count)) await app.client.get(path);
    await renewalOf(held);
    expect(await look(FEED)).toBe('200 HIT by the listener');
    // After an invalidation, the other spellings come first.
    app.app.get(ResponseCache).invalidateOnHost(['feed']);
    for (const path of oddFeeds(count)) expect((await app.client.get(path)).status).toBe(200);
    expect(await look(FEED)).toBe('200 HIT by the listener');
  });

  it.each([8, 100])(
    'is served by the listener under the slug and id of a post, after %d other spellings',
    async (count) => {
      const { id, slug } = await world.post({ by: author });
      for (let index = 0; index < count; index++) {
        expect((await app.client.get(`/v1/posts/odd-${index}-${id}`)).status).toBe(200);
      }
      expect(await look(`/v1/posts/${slug}`)).toBe('200 HIT by the listener');
      expect(await look(`/v1/posts/${id}`)).toBe('200 HIT by the listener');
    },
  );

  it('is served by the listener in the most recently used spellings, too', async () => {
    for (const path of oddFeeds(100)) await app.client.get(path);
    const usual = '/v1/feed?limit=33&sort=top&window=month';
    expect(await look(usual)).toBe('200 HIT by the framework');
    expect(await look(usual)).toBe('200 HIT by the listener');
  });
});

describe('the age of a response', () => {
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '60000' } });

  it('is in the header of every cache hit, so that a shared cache subtracts it from its own lifetime', async () => {
    const look = async (): Promise<[string | null, string | null]> => {
      const { headers } = await app.client.get('/v1/feed?limit=32');
      return [headers.get('x-cache'), headers.get('age')];
    };
    expect(await look()).toEqual(['MISS', null]);
    expect((await look())[0]).toBe('HIT');
    await sleep(1_100);
    const [state, age] = await look();
    expect(state).toBe('HIT');
    expect(Number(age)).toBeGreaterThanOrEqual(1);
    expect(Number(age)).toBeLessThan(60);
  });
});
