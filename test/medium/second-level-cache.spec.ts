import { setTimeout as sleep } from 'node:timers/promises';
import { CacheEntry } from '../../src/platform/cache/cache-entry.js';
import { EntryStore } from '../../src/platform/cache/entry-store.js';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { SecondLevelCache } from '../../src/platform/cache/second-level-cache.js';
import { RedisService } from '../../src/platform/redis/redis.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';
import { RedisServer, waitForRedis } from '../support/redis.js';
import { until } from '../support/until.js';

const POLICY = { freshMs: 600_000, staleMs: 1_000, staleIfErrorMs: 1_000 };

waitForRedis();

/** Holds the versions of the pages and counts the loads. */
class Pages {
  private readonly versions = new Map<string, number>();
  loads = 0;

  change(page: string): void {
    this.versions.set(page, this.versionOf(page) + 1);
  }

  versionOf(page: string): number {
    return this.versions.get(page) ?? 0;
  }

  readonly load = async (page: string, wait?: Promise<void>): Promise<CacheEntry> => {
    this.loads++;
    const body = Buffer.from(String(this.versionOf(page)));
    await wait;
    return new CacheEntry({
      key: page,
      route: 'test',
      body,
      headers: { link: 'x' },
      tags: [page, 'all'],
      policy: POLICY,
    });
  };
}

describeWith('redis-server', 'responses that hosts share in Redis', (binary) => {
  const server = new RedisServer(binary);
  const opened: RedisService[] = [];
  let series = 0;

  /** Opens a process on its own host. */
  async function open() {
    const redis = await RedisService.open({ url: server.url, keyPrefix: `test${series}:` });
    opened.push(redis);
    await until(() => redis.isUp || null);
    const store = new EntryStore(10_000_000);
    const cache = new ResponseCache(store, 0, new SecondLevelCache(redis, '1'));
    return { redis, store, cache, name: `process ${opened.length}` };
  }
  type Process = Awaited<ReturnType<typeof open>>;

  async function readPage(
    { cache }: Process,
    pages: Pages,
    page: string,
  ): Promise<{ version: number; state: string; entry: CacheEntry }> {
    const { entry, state } = await cache.fetch(page, () => pages.load(page));
    return { version: Number(String(entry.identity.body)), state, entry };
  }
  /** Waits until a page is stored, because its reader does not wait for the write. */
  const untilShared = (process: Process, pages: Pages, page: string) =>
    until(async () => {
      process.store.clear();
      return (await readPage(process, pages, page)).state === 'HIT' || null;
    });

  beforeAll(() => server.start());
  beforeEach(() => series++);
  afterAll(async () => {
    for (const redis of opened) redis.onModuleDestroy();
    await server.remove();
  });

  it('are computed once, and are the same on each, with their age', async () => {
    const pages = new Pages();
    const [a, b] = [await open(), await open()];
    // Each process begins by invalidating everything stored before its first event.
    await readPage(a, pages, 'other');
    await readPage(b, pages, 'other');
    const computed = await readPage(a, pages, 'page');
    expect(computed.state).toBe('MISS');
    await untilShared(a, pages, 'page');
    const { loads } = pages;
    const taken = await readPage(b, pages, 'page');
    expect(taken.state).toBe('HIT');
    expect(pages.loads).toBe(loads);
    const { etag, baseHeaders, tags, policy, identity } = computed.entry;
    expect(taken.entry).toMatchObject({ etag, baseHeaders, tags, policy });
    expect(taken.entry.identity.body).toEqual(identity.body);
    expect(taken.entry.freshUntil).toBeLessThanOrEqual(performance.now() + POLICY.freshMs);
    expect(b.cache.counts).toMatchObject({ fromSecondLevel: 1, HIT: 1 });
  });

  it.each(['its tag', 'everything'])(
    'are not read from Redis after an invalidation of %s, in a process that received it',
    async (what) => {
      const pages = new Pages();
      const [a, b] = [await open(), await open()];
      await readPage(b, pages, 'other');
      await untilShared(a, pages, 'page');
      pages.change('page');
      // Process a has not received the event yet.
      b.cache.invalidateLocally(what === 'everything' ? null : ['page']);
      expect(await readPage(b, pages, 'page')).toMatchObject({ version: 1, state: 'MISS' });
    },
  );

  it('are not used by a process that may have missed an invalidation', async () => {
    const pages = new Pages();
    const [a, b] = [await open(), await open()];
    await readPage(b, pages, 'other');
    await untilShared(a, pages, 'page');
    // Neither Redis nor this process received an event.
    pages.change('page');
    b.store.trustedUntil = performance.now();
    await sleep(1_500);
    expect(await readPage(b, pages, 'page')).toMatchObject({ version: 1, state: 'MISS' });
  });

  it('are not stored when they were computed before an earlier invalidation', async () => {
    const pages = new Pages();
    const [a, b] = [await open(), await open()];
    await readPage(b, pages, 'other');
    let go = (): void => undefined;
    const wait = new Promise<void>((resolve) => (go = resolve));
    const slow = a.cache.fetch('page', () => pages.load('page', wait));
    await until(async () => pages.loads === 2 || null);
    pages.change('page');
    b.cache.invalidateLocally(['page']);
    await readPage(b, pages, 'other');
    go();
    expect(String((await slow).entry.identity.body)).toBe('0');
    // The write was sent before this response.
    await readPage(a, pages, 'third');
    b.store.clear();
    expect(await readPage(b, pages, 'page')).toMatchObject({ version: 1 });
  });

  it('are discarded when Redis has lost its invalidations', async () => {
    const pages = new Pages();
    const a = await open();
    await untilShared(a, pages, 'page');
    const keys = await a.redis.run('test', (client) => client.del('cache:1'));
    expect(keys).toBe(1);
    a.store.clear();
    expect((await readPage(a, pages, 'page')).state).toBe('MISS');
    await untilShared(a, pages, 'page');
  });

  it('are not used after an invalidation that Redis refused, and are shared again when it accepts them', async () => {
    const pages = new Pages();
    const [a, b] = [await open(), await open()];
    const setMemory = (bytes: string) => a.redis.run('test', (client) => client.config('SET', 'maxmemory', bytes));
    await readPage(b, pages, 'other');
    await untilShared(a, pages, 'page');
    expect(await setMemory('1')).toBe('OK');
    try {
      pages.change('page');
      b.cache.invalidateLocally(['page']);
      expect(await readPage(b, pages, 'page')).toMatchObject({ version: 1, state: 'MISS' });
      b.store.clear();
      expect(await readPage(b, pages, 'page')).toMatchObject({ version: 1, state: 'MISS' });
    } finally {
      await setMemory('0');
    }
    await untilShared(b, pages, 'page');
    expect((await readPage(b, pages, 'page')).version).toBe(1);
  });

  it('are computed while Redis hangs, and shared again afterwards, never older than a received invalidation', async () => {
    const pages = new Pages();
    const [a, b] = [await open(), await open()];
    await readPage(b, pages, 'other');
    await untilShared(a, pages, 'page');
    server.freeze();
    try {
      pages.change('page');
      b.cache.invalidateLocally(['page']);
      expect(await readPage(b, pages, 'page')).toMatchObject({ version: 1, state: 'MISS' });
    } finally {
      server.thaw();
    }
    await untilShared(b, pages, 'page');
    expect((await readPage(b, pages, 'page')).version).toBe(1);
  });

  it('are never older than the invalidations that a process has received', async () => {
    const pages = new Pages();
    const processes = await Promise.all([open(), open(), open()]);
    const latest = processes.map(() => new Map<string, number>());
    const names = Array.from({ length: 5 }, (_, index) => `page${index}`);
    const any = <T>(of: T[]): T => of[Math.floor(Math.random() * of.length)]!;
    let fromSecondLevel = 0;
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let step = 0; step < 150; step++) {
          const at = Math.floor(Math.random() * processes.length);
          const page = any(names);
          if (Math.random() < 0.2) {
            pages.change(page);
            const version = pages.versionOf(page);
            // Each process receives the event at its own time.
            for (const [index, { cache }] of processes.entries()) {
              setTimeout(() => {
                cache.invalidateLocally([page]);
                latest[index]!.set(page, Math.max(version, latest[index]!.get(page) ?? 0));
              }, Math.random() * 5);
            }
          }
          if (Math.random() < 0.3) processes[at]!.store.clear();
          const floor = latest[at]!.get(page) ?? 0;
          expect((await readPage(processes[at]!, pages, page)).version).toBeGreaterThanOrEqual(floor);
        }
      }),
    );
    for (const { cache } of processes) fromSecondLevel += cache.counts.fromSecondLevel;
    // On a busy machine most events arrive before the response of Redis.
    expect(fromSecondLevel).toBeGreaterThan(0);
  });

  it('are separate for a host that signs cursors with another secret', async () => {
    const settings = { REDIS_URL: server.url, CACHE_L2: 'true', CACHE_FEED_TTL_MS: '600000', JOBS_ENABLED: 'false' };
    const app = await startApp({ env: settings });
    const same = await startApp({ beside: app, direct: 'a further server that no proxy knows', env: settings });
    const other = await startApp({
      beside: app,
      direct: 'a further server that no proxy knows',
      env: {
        ...settings,
        AUTH_TOKEN_SECRET: 'another secret of the tests, of forty',
      },
    });
    try {
      const stateOf = async ({ client }: TestApp, limit: number) =>
        (await client.get(`/v1/feed?limit=${limit}`)).headers.get('x-cache');
      // Each host begins by invalidating everything stored before its first event.
      for (const host of [app, same, other]) expect(await stateOf(host, 1)).not.toBeNull();
      let limit = 1;
      await until(async () => {
        limit++;
        await stateOf(app, limit);
        return (await stateOf(same, limit)) === 'HIT' || null;
      });
      expect(await stateOf(other, limit)).toBe('MISS');
    } finally {
      for (const host of [other, same, app]) await host.close();
    }
  });
});
