import { CACHE_MANAGER, type Cache } from '@nestjs/cache-manager';
import { RedisService } from '../../src/platform/redis/redis.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';
import { RedisServer, waitForRedis } from '../support/redis.js';
import { until } from '../support/until.js';

waitForRedis();

describeWith('redis-server', 'values of cache-manager', (path) => {
  const server = new RedisServer(path);
  let hosts: [TestApp, TestApp];
  let computed = 0;
  const readValue = ({ app }: TestApp, key: string): Promise<number[]> =>
    app.get<Cache>(CACHE_MANAGER).wrap(key, async () => [++computed], { ttl: 600_000 });

  beforeAll(async () => {
    await server.start();
    const options = { env: { REDIS_URL: server.url }, direct: 'hosts of their own' };
    const first = await startApp(options);
    hosts = [first, await startApp({ ...options, beside: first })];
    for (const { app } of hosts) await until(() => app.get(RedisService, { strict: false }).isUp || null);
  });
  afterAll(async () => {
    for (const host of [...hosts].reverse()) await host.close();
    await server.remove();
  });

  it('are computed once for all hosts', async () => {
    expect([await readValue(hosts[0], 'shared'), await readValue(hosts[1], 'shared')]).toEqual([[1], [1]]);
  });

  it('stay in the memory of each process while Redis is down', async () => {
    await server.kill();

    const before = [await readValue(hosts[0], 'shared'), await readValue(hosts[1], 'shared')];
    const after = [
      await readValue(hosts[0], 'other'),
      await readValue(hosts[1], 'other'),
      await readValue(hosts[0], 'other'),
    ];

    expect([before, after]).toEqual([
      [[1], [1]],
      [[2], [3], [2]],
    ]);
  });
});
