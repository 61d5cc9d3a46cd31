import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { CommandMonitor } from '../../src/platform/mongo/slow-query/command-monitor.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';

describe('CommandMonitor', () => {
  const database = useMongoModule();
  const lines: string[] = [];
  let mongo: MongoService;
  let monitor: CommandMonitor;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void lines.push(String(line)));
    const module = await database.open({ MONGODB_SLOW_QUERY_MS: '50', MONGODB_WAIT_QUEUE_TIMEOUT_MS: '20000' });
    mongo = module.get(MongoService);
    monitor = module.get(CommandMonitor);
    await mongo.collection('things').insertMany(Array.from({ length: 20 }, (_, n) => ({ n })));
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  async function nextLine(): Promise<string> {
    const deadline = Date.now() + 5_000;
    while (lines.length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    return lines.shift() ?? 'no line';
  }

  it('logs a slow read with its shape, its plan and examined to returned, and none of its values', async () => {
    const slow = { $function: { body: 'function() { sleep(10); return true; }', args: [], lang: 'js' } };
    const filter = { secret: { $ne: 'hunter2' }, $expr: slow };
    await mongo.collection('things').find(filter).sort({ n: -1 }).toArray();
    const line = await nextLine();
    expect(line).toMatch(
      /^\d+ ms find things \{"filter":\{"secret":\{"\$ne":"\?"\},.*"sort":\{"n":-1\}\} plan SORT COLLSCAN keys 0 docs:returned 20:20$/,
    );
    expect(line).not.toContain('hunter2');
    expect(monitor.read().slowQueries).toBe(1);
  });

  it('counts commands, failures and waits for the pool, for itself and for observers', async () => {
    const heard: string[] = [];
    const stop = monitor.observe({ command: (name, ms, isFailed) => heard.push(`${name} ${isFailed} ${ms >= 0}`) });
    const before = monitor.read();
    await mongo.collection('things').findOne({ n: 1 });
    await mongo.db.command({ nonsense: 1 }).catch(() => {});
    stop();
    await mongo.collection('things').findOne({ n: 1 });
    const after = monitor.read();
    expect(after.commands.find!.count - (before.commands.find?.count ?? 0)).toBe(2);
    expect(after.commands.nonsense).toMatchObject({ count: 1, failed: 1 });
    expect(after.checkouts.count - before.checkouts.count).toBe(3);
    expect(after.pool.inUse).toBe(0);
    expect(after.pool.size).toBeGreaterThan(0);
    expect(heard).toEqual(['find false true', 'nonsense true true']);
  });

  it('does not become the load when everything is slow: some lines a second, and how many were left out', async () => {
    const slow = { $function: { body: 'function() { sleep(60); return true; }', args: [], lang: 'js' } };
    const ask = (): Promise<unknown> => mongo.collection('things').findOne({ n: 1, $expr: slow });
    lines.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const counted = monitor.read().slowQueries;
    await Promise.all(Array.from({ length: 40 }, ask));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await ask();
    await nextLine();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(monitor.read().slowQueries - counted).toBe(41);
    expect(lines.length).toBeLessThan(20);
    expect(lines.join('\n')).toMatch(/\(\d+ more were slow and are not shown\) \d+ ms find things/);
  });
});
