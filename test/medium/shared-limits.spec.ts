import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/config/app-config.js';
import { ClusterBus } from '../../src/platform/cluster/bus.js';
import { RateLimiter } from '../../src/platform/rate-limit/rate-limiter.js';
import { RedisService } from '../../src/platform/redis/redis.service.js';
import { describeWith } from '../support/optional.js';
import { RedisServer, waitForRedis } from '../support/redis.js';
import { until } from '../support/until.js';

const LIMIT = 600;
const PORTION = LIMIT / 100;
const PER_SECOND = LIMIT / 60;

waitForRedis();

describeWith('redis-server', 'limits of hosts that share a Redis', (binary) => {
  const server = new RedisServer(binary);
  const opened: { redis: RedisService; limiter: RateLimiter }[] = [];
  let series = 0;

  /** Opens a process on its own host. */
  async function open(): Promise<RateLimiter> {
    const config = loadConfig({ AUTH_TOKEN_SECRET: 'x'.repeat(40), RATE_LIMIT_WRITES_PER_MINUTE: String(LIMIT) });
    const redis = await RedisService.open({ url: server.url, keyPrefix: 'test:' });
    const limiter = new RateLimiter(config, new ClusterBus(), redis);
    opened.push({ redis, limiter });
    await until(() => redis.isUp || null);
    return limiter;
  }
  /** Resolves when Redis has replied to every update. On a busy machine one reply may take the time of many requests. */
  async function answered(limiters: RateLimiter[]): Promise<void> {
    await sleep(1);
    for (const { redis, limiter } of opened)
      if (limiters.includes(limiter)) await redis.run('ping', (client) => client.ping());
  }
  /** Sends `count` requests, a few at a time. @returns the number of accepted requests */
  async function takeMany(limiters: RateLimiter[], account: string, count: number): Promise<number> {
    let allowed = 0;
    for (let at = 0; at < count; at++) {
      if (limiters[at % limiters.length]!.take('writes', account, '10.0.0.1').isAllowed) allowed++;
      if (at % 3 === 0) await answered(limiters);
    }
    return allowed;
  }
  const refilled = (since: number): number => Math.ceil(((performance.now() - since) / 1_000) * PER_SECOND);

  beforeAll(() => server.start());
  beforeEach(() => series++);
  afterAll(async () => {
    for (const { redis, limiter } of opened) {
      limiter.onModuleDestroy();
      redis.onModuleDestroy();
    }
    await server.remove();
  });

  it('hold for all hosts together, except for a portion of each', async () => {
    const hosts = [await open(), await open()];
    const startedAt = performance.now();
    const allowed = await takeMany(hosts, `a${series}`, 2 * LIMIT);
    expect(allowed).toBeGreaterThanOrEqual(LIMIT);
    expect(allowed).toBeLessThanOrEqual(LIMIT + 2 * PORTION + refilled(startedAt));
    // A new host admits a portion before it has read the shared state.
    expect(await takeMany([await open()], `a${series}`, LIMIT)).toBeLessThanOrEqual(PORTION + refilled(startedAt));
  });

  it('hold for each host alone while Redis is down, and together again when it is back, also with an empty Redis', async () => {
    const [a, b] = [await open(), await open()];
    const startedAt = performance.now();
    const first = await takeMany([a, b], `a${series}`, 300);
    expect(first).toBe(300);
    await server.kill();
    await until(() => (opened.some(({ redis }) => redis.isUp) ? null : true));
    // Both hosts have counted the 300 requests by now.
    const alone = await takeMany([a], `a${series}`, LIMIT);
    expect(alone).toBeLessThanOrEqual(300 + PORTION + refilled(startedAt));
    expect(alone).toBeGreaterThanOrEqual(300 - PORTION);
    await server.start();
    await until(() => (opened.every(({ redis }) => redis.isUp) ? true : null));
    // Host a reports its requests with its next one, and host b reads them with its own.
    await takeMany([a], `a${series}`, 50);
    const { redis } = opened.at(-1)!;
    await until(async () => (await redis.run('look', (client) => client.keys('test:limit:*')))?.length || null);
    const left = await takeMany([b], `a${series}`, LIMIT);
    expect(left).toBeLessThanOrEqual(2 * PORTION + refilled(startedAt));
  });

  it('leave no key in Redis without an expiry', async () => {
    const limiter = await open();
    await takeMany([limiter], `a${series}`, 100);
    const { redis } = opened.at(-1)!;
    const ends = await redis.run('look', async (client) => {
      const keys = await client.keys('test:limit:*');
      return Promise.all(keys.map((key) => client.pttl(key.slice('test:'.length))));
    });
    expect(ends!.length).toBeGreaterThan(0);
    expect(ends!.filter((end) => end <= 0 || end > 120_000)).toEqual([]);
  });
});
