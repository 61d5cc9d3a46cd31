import { jest } from '@jest/globals';
import { takeClock } from '../../../test/support/clock.js';
import { AppConfig } from '../../config/app-config.js';
import { ENV_SCHEMA } from '../../config/env.schema.js';
import { ClusterBus } from '../cluster/bus.js';
import { RedisService } from '../redis/redis.service.js';
import { RateLimitBuckets } from './rate-limit-buckets.js';
import { RateLimiter } from './rate-limiter.js';

const config = (overrides: Record<string, string> = {}) =>
  new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), ...overrides }));
const noRedis = await RedisService.open({ url: undefined, keyPrefix: '' });

/** the buses of two processes of a host */
function twoBuses(): [ClusterBus, ClusterBus] {
  const handlers: ((message: never) => void)[] = [];
  const bus = (index: number) =>
    new ClusterBus({
      send: (message) => {
        if (message.type === 'publish') handlers[1 - index]!({ ...message, type: 'deliver' } as never);
      },
      receive: (handler) => {
        handlers[index] = handler;
      },
    });
  return [bus(0), bus(1)];
}

describe('limits of networks', () => {
  const open = (env: Record<string, string>) => new RateLimiter(config(env), new ClusterBus(), noRedis);
  const addressIn = (site: string, network: number) => `2001:db8:${site}:${network.toString(16)}::1`;

  it.each([
    ['writes', 'RATE_LIMIT_WRITES_PER_MINUTE', 20],
    ['auth', 'RATE_LIMIT_AUTH_PER_MINUTE', 20],
    ['guestUploads', 'RATE_LIMIT_GUEST_UPLOADS_PER_HOUR', 20],
    ['registrations', 'RATE_LIMIT_REGISTRATIONS_PER_HOUR', 10],
  ] as const)('of %s hold for a /48 as well', (policy, variable, networks) => {
    const limiter = open({ [variable]: '2' });
    const take = (site: string, network: number) => limiter.take(policy, null, addressIn(site, network)).isAllowed;
    const taken = Array.from({ length: 200 }, (_, index) => take('1', index >> 1)).filter(Boolean);
    expect(taken).toHaveLength(2 * networks);
    expect(take('2', 0)).toBe(true);
    expect(limiter.take(policy, null, '192.0.2.1').isAllowed).toBe(true);
    limiter.onModuleDestroy();
  });

  it('get unused requests back', () => {
    const limiter = open({ RATE_LIMIT_REGISTRATIONS_PER_HOUR: '2' });
    const address = addressIn('1', 1);
    const refused = expect.objectContaining({ code: 'rate_limited' }) as Error;
    for (let failed = 0; failed < 50; failed++) {
      limiter.requireFrom(address, 'registrations');
      limiter.refundTo(address, 'registrations');
    }
    for (let made = 0; made < 2; made++) limiter.requireFrom(address, 'registrations');
    expect(() => limiter.requireFrom(address, 'registrations')).toThrow(refused);
    limiter.onModuleDestroy();
  });
});

describe('rate limit buckets', () => {
  it('allow a whole window at once, then the refilled requests', () => {
    let now = 0;
    const buckets = new RateLimitBuckets(60, 60_000, 1, 10, () => now);
    for (let taken = 0; taken < 60; taken++) expect(buckets.take('a').isAllowed).toBe(true);
    expect(buckets.take('a')).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 1 });
    expect(buckets.take('b').remaining).toBe(59);
    now = 1_000;
    expect(buckets.take('a').isAllowed).toBe(true);
    expect(buckets.take('a').isAllowed).toBe(false);
  });

  it('delete full buckets and never hold more keys than the limit', () => {
    let now = 0;
    const buckets = new RateLimitBuckets(60, 60_000, 1, 10, () => now);
    for (let key = 0; key < 50; key++) buckets.take(`k${key}`);
    expect(buckets.size).toBe(10);
    now = 2_000;
    buckets.sweep();
    expect(buckets.size).toBe(0);
  });

  it('keep buckets at their limit when many keys are added, for any age', () => {
    const LIMITED = 100;
    const buckets = new RateLimitBuckets(60, 60_000, 1, 1_000, () => 0);
    const limited = Array.from({ length: LIMITED }, (_, index) => `limited${index}`);
    for (const key of limited) for (let taken = 0; taken < 60; taken++) buckets.take(key);
    for (let other = 0; other < 5_000; other++) expect(buckets.take(`o${other}`).isAllowed).toBe(true);
    expect(buckets.size).toBe(1_000);
    expect(limited.filter((key) => buckets.take(key).isAllowed)).toEqual([]);
  });

  it('evict full buckets first', () => {
    let now = 0;
    const buckets = new RateLimitBuckets(60, 60_000, 1, 10, () => now);
    for (let taken = 0; taken < 30; taken++) buckets.take('half');
    for (let key = 0; key < 9; key++) buckets.take(`k${key}`);
    now = 2_000;
    for (let key = 0; key < 9; key++) buckets.take(`n${key}`);
    // 30 left, 2 refilled, 1 taken
    expect(buckets.take('half').remaining).toBe(31);
  });

  it('compare 1,000 of 10,000 empty buckets to evict one for a new key', () => {
    const buckets = new RateLimitBuckets(1, 60_000, 1, 10_000, () => 0);
    for (let key = 0; key < 10_000; key++) buckets.take(`k${key}`);

    buckets.take('new');

    expect(buckets.size).toBe(10_000);
    // The compared buckets are behind the others.
    const [first] = buckets['buckets'].keys();
    expect(first).toBe('k1000');
  });
});

describe('buckets of several hosts', () => {
  it('are as empty as all hosts together know', () => {
    let now = 0;
    const buckets = new RateLimitBuckets(600, 60_000, 6, 10, () => now);
    for (let taken = 0; taken < 6; taken++) buckets.take('a');
    expect(buckets.flush()).toEqual([['a', 6]]);
    expect(buckets.deficitMs('a')).toBe(600);
    buckets.take('a');
    // Other hosts took 94.
    buckets.settle('a', 10_000);
    expect(buckets.deficitMs('a')).toBe(10_100);
    buckets.settle('a', 100);
    expect(buckets.deficitMs('a')).toBe(10_100);
    now = 5_100;
    expect(buckets.deficitMs('a')).toBe(5_000);
    buckets.settle('a', 1_000_000);
    expect(buckets.deficitMs('a')).toBe(120_000);
    expect(buckets.take('a')).toMatchObject({ isAllowed: false, retryAfterSeconds: 61 });
  });

  it('report the last requests one by one', () => {
    const buckets = new RateLimitBuckets(600, 60_000, 6, 10, () => 0);
    for (let taken = 0; taken < 588; taken++) buckets.take('a');
    buckets.flush();
    buckets.take('a');
    expect(buckets.flush()).toEqual([['a', 1]]);
    for (let taken = 0; taken < 11; taken++) buckets.take('a');
    expect(buckets.flush()).toEqual([['a', 11]]);
    expect(buckets.take('a').isAllowed).toBe(false);
    expect(buckets.isDue).toBe(false);
  });
});

describe('the rate limiter', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is shared by the processes of a host, sign-in without delay', () => {
    const [a, b] = twoBuses().map((bus) => new RateLimiter(config({ RATE_LIMIT_AUTH_PER_MINUTE: '4' }), bus, noRedis));
    const verdicts = [a, b, a, b, a, b].map((limiter) => limiter!.take('auth', null, '10.0.0.1').isAllowed);
    expect(verdicts).toEqual([true, true, true, true, false, false]);
    expect(b!.take('auth', null, '10.0.0.2').isAllowed).toBe(true);
    a!.onModuleDestroy();
    b!.onModuleDestroy();
  });

  it('reports in portions: a limit is exceeded by at most one portion', async () => {
    const [a, b] = twoBuses().map(
      (bus) => new RateLimiter(config({ RATE_LIMIT_WRITES_PER_MINUTE: '600' }), bus, noRedis),
    );
    const takeAll = (limiter: RateLimiter | undefined, count: number) =>
      Array.from({ length: count }, () => limiter!.take('writes', 'u1', '10.0.0.1')).filter(
        ({ isAllowed }) => isAllowed,
      );
    takeClock({ isStill: true });
    expect(takeAll(a, 5)).toHaveLength(5);
    await new Promise((resolve) => setTimeout(resolve, 150));
    // less than a portion: b has received nothing
    expect(b!.take('writes', 'u1', '10.0.0.1').remaining).toBe(599);
    expect(takeAll(a, 500)).toHaveLength(500);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const left = takeAll(b, 200).length;
    expect(left).toBeGreaterThanOrEqual(94);
    expect(left).toBeLessThanOrEqual(94 + 6);
    a!.onModuleDestroy();
    b!.onModuleDestroy();
  });

  it('publishes the counts of accounts, visitors and addresses separately, each once', async () => {
    const [first, second] = twoBuses();
    const limiter = new RateLimiter(config({ RATE_LIMIT_WRITES_PER_MINUTE: '600' }), first, noRedis);
    const published: unknown[] = [];
    second.subscribe('rate-limit-counts', (counts) => published.push(counts));
    // the same key for all three subjects
    for (let taken = 0; taken < 14; taken++) limiter.take('writes', '10.0.0.1', '10.0.0.1');
    for (let taken = 0; taken < 8; taken++) limiter.take('writes', null, '10.0.0.1');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(published).toHaveLength(1);
    expect(new Set(published[0] as unknown[])).toEqual(
      new Set([
        ['account', 'writes', '10.0.0.1', 14],
        ['visitor', 'writes', '10.0.0.1', 8],
        ['address', 'writes', '10.0.0.1', 14],
      ]),
    );
    for (let taken = 0; taken < 6; taken++) limiter.take('writes', null, '10.0.0.1');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(published[1]).toEqual([['visitor', 'writes', '10.0.0.1', 6]]);
    limiter.onModuleDestroy();
  });

  it('limits an account at any address, and an address with many accounts', () => {
    const limiter = new RateLimiter(config({ RATE_LIMIT_WRITES_PER_MINUTE: '2' }), new ClusterBus(), noRedis);
    const take = (account: string | null, address: string) => limiter.take('writes', account, address).isAllowed;
    expect([take('u1', '1.1.1.1'), take('u1', '2.2.2.2'), take('u1', '3.3.3.3')]).toEqual([true, true, false]);
    expect(take('u2', '1.1.1.1')).toBe(true);
    expect(take(null, '1.1.1.1')).toBe(true);
    const many = Array.from({ length: 25 }, (_, index) => take(`n${index}`, '9.9.9.9'));
    expect(many.filter(Boolean)).toHaveLength(20);
    limiter.onModuleDestroy();
  });
});
