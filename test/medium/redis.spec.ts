import { StartupError } from '../../src/common/errors.js';
import { checkRedis } from '../../src/platform/redis/redis-connection.js';
import { RedisService } from '../../src/platform/redis/redis.service.js';
import { describeWith } from '../support/optional.js';
import { RedisServer, waitForRedis } from '../support/redis.js';
import { until } from '../support/until.js';

waitForRedis();

describeWith('redis-server', 'the connection to Redis', (binary) => {
  const server = new RedisServer(binary);
  const locked = new RedisServer(binary, ['--requirepass', 'right']);
  let redis: RedisService;
  const get = () => redis.run('get', (client) => client.get('a'));

  beforeAll(async () => {
    await server.start();
    await locked.start();
    redis = await RedisService.open({ url: server.url, keyPrefix: 'test:' });
  });
  afterAll(async () => {
    redis?.onModuleDestroy();
    await server.remove();
    await locked.remove();
  });

  it('returns values, under a key prefix of its own', async () => {
    await until(() => redis.isUp || null);
    await redis.run('set', (client) => client.set('a', 'b'));
    expect(await get()).toBe('b');
    const other = await RedisService.open({ url: server.url, keyPrefix: 'other:' });
    await until(() => other.isUp || null);
    expect(await other.run('get', (client) => client.get('a'))).toBeNull();
    other.onModuleDestroy();
  });

  it('returns undefined for a refused command, and continues', async () => {
    expect(await redis.run('incr', (client) => client.incr('a'))).toBeUndefined();
    expect(await get()).toBe('b');
  });

  it('returns undefined while the server is down, queues no commands, and reconnects', async () => {
    let ups = 0;
    redis.onUp(() => ups++);
    await server.kill();
    await until(() => (redis.isUp ? null : true));
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => redis.run('incr', (client) => client.incr('n'))),
    );
    expect(new Set(answers)).toEqual(new Set([undefined]));
    await server.start();
    await until(() => (redis.isUp ? true : null));
    expect(ups).toBeGreaterThan(0);
    expect(await redis.run('get', (client) => client.get('n'))).toBeNull();
  });

  it('returns undefined while the server hangs, and soon sends no more commands', async () => {
    server.freeze();
    try {
      expect(await Promise.all([get(), get()])).toEqual([undefined, undefined]);
      await until(() => (redis.isUp ? null : true));
    } finally {
      server.thaw();
    }
    await until(() => (redis.isUp ? true : null));
    await until(async () => ((await redis.run('ping', (client) => client.ping())) === 'PONG' ? true : null));
  });

  it('is checked at the start: a missing server is named with the remedy, a wrong password is refused', async () => {
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    // Both commands complete within a second, unless the machine is busy.
    await until(async () => {
      lines.length = 0;
      await checkRedis(server.url, log);
      await checkRedis(locked.url.replace('//', '//:right@'), log);
      return lines.length === 0 || null;
    });
    await checkRedis('redis://127.0.0.1:9', log);
    await checkRedis('redis://no-such-host.invalid:6379', log);
    expect(lines).toEqual([
      expect.stringMatching(
        /^Redis does not respond at 127\.0\.0\.1:9 \(connect ECONNREFUSED.*apt-get install redis-server/,
      ),
      expect.stringMatching(/^Redis does not respond at no-such-host\.invalid:6379 \(getaddrinfo/),
    ]);
    for (const url of [locked.url, locked.url.replace('//', '//:wrong@')]) {
      const refusal = () => checkRedis(url, log).catch((error: unknown) => error);
      expect(await until(refusal)).toBeInstanceOf(StartupError);
    }
  });
});

describe('without REDIS_URL', () => {
  it('no command is sent', async () => {
    const redis = await RedisService.open({ url: undefined, keyPrefix: 'test:' });
    expect(redis.isUp).toBe(false);
    expect(await redis.run('get', (client) => client.get('a'))).toBeUndefined();
    redis.onModuleDestroy();
  });
});
