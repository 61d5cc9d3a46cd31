import { execFileSync } from 'node:child_process';
import type { TestClient } from '../support/client.js';
import { signUp } from '../support/accounts.js';
import { describeWith } from '../support/optional.js';
import { RedisServer } from '../support/redis.js';
import { useServer } from '../support/server.js';
import { ROOT } from '../support/spawned-host.js';
import { until } from '../support/until.js';

const WRONG = 'not the password';

describe('two hosts on one database', () => {
  const served = useServer({ processes: 2, hosts: 2, environment: { RATE_LIMIT_ENABLED: 'true' } });

  it('check three guesses at an account between them, and let its owner sign in', async () => {
    const { username, password } = await signUp(served.client);
    const guess = async (at: number, login: string): Promise<number> =>
      (await served.clients[at % 2]!.post('/v1/auth/login', { body: { login, password: WRONG } })).status;
    const first: number[] = [];
    for (let at = 0; at < 3; at++) first.push(await guess(at, `nobody_${username}`));
    const startedAt = performance.now();
    const others = await Promise.all(Array.from({ length: 9 }, (_, at) => guess(at, `nobody_${username}`)));
    // The delays are one second, then two. On a slow machine one more guess may be accepted.
    const due = Math.floor(Math.log2(1 + (performance.now() - startedAt) / 1_000));
    expect(first).toEqual([401, 401, 401]);
    expect(others.filter((status) => status === 429).length).toBeGreaterThanOrEqual(9 - due);
    const login = { body: { login: username, password } };
    for (const client of served.clients) expect((await client.post('/v1/auth/login', login)).status).toBe(200);
  });

  it('do not load the Redis client without REDIS_URL', () => {
    const script = `
      import Module from 'node:module';
      const has = () => Object.keys(Module._cache).some((path) => path.includes('/ioredis/'));
      await import('./dist/src/create-app.js');
      const { RedisService } = await import('./dist/src/platform/redis/redis.service.js');
      await RedisService.open({ url: undefined, keyPrefix: '' });
      const before = has();
      (await RedisService.open({ url: 'redis://127.0.0.1:9', keyPrefix: '' })).onModuleDestroy();
      console.log(before, has());
      process.exit();`;
    const settings = ['--input-type=module', '--eval', script];
    expect(execFileSync(process.execPath, settings, { cwd: ROOT, encoding: 'utf8' }).trim()).toBe('false true');
  });
});

const LIMIT = 300;
const PORTION = LIMIT / 100;

describeWith('redis-server', 'two hosts that share a Redis', (binary) => {
  const redis = new RedisServer(binary);
  beforeAll(() => redis.start());
  afterAll(() => redis.remove());
  const served = useServer({
    hosts: 2,
    environment: () => ({
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_READS_PER_MINUTE: String(LIMIT),
      RATE_LIMIT_AUTH_PER_MINUTE: '1000',
      REDIS_URL: redis.url,
    }),
  });

  /** Sends `count` reads of a new account to the hosts in rotation while `also` runs. @returns the responses, and the refilled requests */
  async function readThrough(hosts: readonly TestClient[], count: number, also?: () => Promise<void>) {
    const { token } = await signUp(hosts[0]!);
    const startedAt = performance.now();
    const statuses: number[] = [];
    let next = 0;
    const reader = async (): Promise<void> => {
      for (let at = next++; at < count; at = next++)
        statuses.push((await hosts[at % hosts.length]!.get('/v1/auth/me', { token })).status);
    };
    await Promise.all([reader(), reader(), also?.()]);
    const refilled = Math.ceil(((performance.now() - startedAt) / 60_000) * LIMIT);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    return { allowed: statuses.filter((status) => status === 200).length, refilled };
  }
  const isUp = async (client: TestClient): Promise<boolean> =>
    /^opencanvas_redis_up 1$/m.test((await client.get<string>('/metrics')).body);
  const untilAll = (isWanted: boolean) =>
    until(async () => {
      const seen = await Promise.all(served.clients.map(isUp));
      return seen.every((up) => up === isWanted) || null;
    });

  async function expectShared(): Promise<void> {
    await untilAll(true);
    const { allowed, refilled } = await readThrough(served.clients, 3 * LIMIT);
    expect(allowed).toBeGreaterThanOrEqual(LIMIT);
    expect(allowed).toBeLessThanOrEqual(LIMIT + 2 * PORTION + refilled);
  }

  it('have one limit, exceeded by a portion of each at most', expectShared);

  it('limit each for itself while Redis is down, and fail no request', async () => {
    const killed = await readThrough(served.clients, LIMIT, () => redis.kill());
    expect(killed.allowed).toBe(LIMIT);
    await untilAll(false);
    for (const client of served.clients) {
      const { allowed, refilled } = await readThrough([client], 2 * LIMIT);
      expect(allowed).toBeGreaterThanOrEqual(LIMIT);
      expect(allowed).toBeLessThanOrEqual(LIMIT + refilled);
    }
    await redis.start();
    await expectShared();
  });

  it('fail no request when Redis hangs', async () => {
    redis.freeze();
    try {
      const { allowed } = await readThrough(served.clients, LIMIT);
      expect(allowed).toBe(LIMIT);
    } finally {
      redis.thaw();
    }
    await expectShared();
  });
});
