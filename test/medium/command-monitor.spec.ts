import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { register } from 'prom-client';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { takeClock } from '../support/clock.js';
import { until } from '../support/until.js';
import { useMongoModule } from '../support/mongo-module.js';

describe('CommandMonitor', () => {
  const database = useMongoModule();
  const lines: string[] = [];
  let mongo: MongoService;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void lines.push(String(line)));
    const module = await database.open({ MONGODB_SLOW_QUERY_MS: '150' });
    mongo = module.get(MongoService);
    await mongo.collection('things').insertMany(Array.from({ length: 20 }, (_, n) => ({ n })));
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  /** Returns the exported value with these labels; for a histogram, the number of observations. */
  async function metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const values = (await register.getMetricsAsJSON()).find((each) => each.name === name)?.values ?? [];
    const isAsked = (value: { metricName?: string; labels: object }): boolean =>
      (value.metricName ?? name).replace(/_count$/, '') === name &&
      Object.entries(labels).every(([label, text]) => (value.labels as Record<string, unknown>)[label] === text);
    return values.find(isAsked)?.value ?? 0;
  }

  /** Finds the line of `find`, because a busy machine may have slowed down other commands, too. */
  const lineOfFind = (): Promise<string> => until(() => lines.find((line) => line.includes(' find things ')));

  it('logs a slow read with its shape and plan and without its values', async () => {
    const slow = { $function: { body: 'function() { sleep(10); return true; }', args: [], lang: 'js' } };
    const filter = { secret: { $ne: 'hunter2' }, $expr: slow };
    await mongo.collection('things').find(filter).sort({ n: -1 }).toArray();
    const line = await lineOfFind();
    expect(line).toMatch(
      /^\d+ ms find things \{"filter":\{"secret":\{"\$ne":"\?"\},.*"sort":\{"n":-1\}\} plan SORT COLLSCAN keys 0 docs:returned 20:20$/,
    );
    expect(line).not.toContain('hunter2');
    expect(await metric('opencanvas_mongo_slow_queries_total')).toBe(lines.length);
  });

  it('exports commands, failures, waits for the pool and its connections', async () => {
    const commands = () => metric('opencanvas_mongo_command_seconds', { command: 'find', outcome: 'ok' });
    const failures = () => metric('opencanvas_mongo_command_seconds', { command: 'nonsense', outcome: 'failed' });
    const checkouts = () => metric('opencanvas_mongo_pool_wait_seconds', { outcome: 'ok' });
    const [found, failed, waited] = [await commands(), await failures(), await checkouts()];
    await mongo.collection('things').findOne({ n: 1 });
    await mongo.db.command({ nonsense: 1 }).catch(() => {});
    await mongo.collection('things').findOne({ n: 1 });
    expect([(await commands()) - found, (await failures()) - failed]).toEqual([2, 1]);
    // The plan of the earlier slow read may still be pending.
    expect((await checkouts()) - waited).toBeGreaterThanOrEqual(3);
    const inUse = () => metric('opencanvas_mongo_pool_connections', { state: 'in use' });
    await until(async () => ((await inUse()) === 0 ? true : null));
    expect(await metric('opencanvas_mongo_pool_connections', { state: 'open' })).toBeGreaterThan(0);
  });

  it('writes one line a minute for each shape, and counts the rest', async () => {
    const slow = { $function: { body: 'function() { sleep(160); return true; }', args: [], lang: 'js' } };
    const findSlowly = (): Promise<unknown> => mongo.collection('things').findOne({ n: 1, $expr: slow });
    const ofShape = (): string[] => lines.filter((line) => line.includes(' find things ') && line.includes('"limit"'));
    const counted = await metric('opencanvas_mongo_slow_queries_total');
    const clock = takeClock();
    lines.length = 0;
    await Promise.all(Array.from({ length: 20 }, findSlowly));
    clock.advance(60_000);
    await findSlowly();

    // The line is written after the plan of that read.
    await until(() => ofShape()[1]);
    expect(ofShape()).toHaveLength(2);
    expect(ofShape()[1]).toMatch(/^\(19 more were slow and are not shown\) \d+ ms find things/);
    expect((await metric('opencanvas_mongo_slow_queries_total')) - counted).toBeGreaterThanOrEqual(21);
    clock.release();
  });
});
