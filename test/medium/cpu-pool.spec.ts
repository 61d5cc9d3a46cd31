import { availableParallelism, getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { register } from 'prom-client';
import { AppConfig } from '../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { openServices } from '../../src/cli/cli-context.js';
import { CpuPool } from '../../src/platform/cpu-pool/cpu-pool.js';
import { type CpuTask, TaskLimitExceeded } from '../../src/platform/cpu-pool/cpu-task.js';
import { testEnvironment } from '../support/app.js';
import { useDatabase } from '../support/mongo.js';
import { until } from '../support/until.js';

type Run = typeof import('../support/pool-task.js').run;

/** Number of workers with which the pool has two threads. */
const workers = String(Math.max(1, Math.ceil(availableParallelism() / 2)));
const config = new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), HTTP_WORKERS: workers }));
const WAITING = 200;

const module = new URL('../support/pool-task.mjs', import.meta.url);
const task: CpuTask<Run> = { name: 'test', module, limitMs: 60_000 };
const short: CpuTask<Run> = { ...task, name: 'short', limitMs: 100 };

describe('the CPU pool', () => {
  const database = useDatabase();
  const pool = new CpuPool(config);
  // A busy machine may take as long as it needs.
  pool.maxWall = Infinity;
  let authors = 0;
  /** Returns a new author for each task. */
  const newAuthor = () => `author ${++authors}`;
  const tell = (author: string | null = newAuthor()) => pool.run(task, { does: 'tell' }, author);
  const hold = (flag: Int32Array, author: string | null = newAuthor()) =>
    pool.run(task, { does: 'hold', flag }, author);
  afterAll(() => pool.onApplicationShutdown());

  it('runs tasks in threads of a lower priority than that of the process', async () => {
    const { threadId, priority } = await tell();
    expect(threadId).toBeGreaterThan(0);
    if (process.platform === 'linux') expect(priority).toBe(Math.min(19, getPriority() + 5));
  });

  it('passes on the error of a task, and continues', async () => {
    const failing = pool.run(task, { does: 'throw', message: 'a bad input' }, null);
    await expect(failing).rejects.toMatchObject({ name: 'RangeError', message: 'a bad input' });
    await tell();
  });

  it('refuses tasks beyond its queue with 503, and runs the queued ones, without blocking this event loop', async () => {
    await tell();
    const flag = newFlag();
    const holding = [0, 1].map(() => hold(flag));
    // Both threads are blocked, but this event loop is not.
    await held(flag, 2);
    const waiting = Promise.allSettled(Array.from({ length: WAITING }, () => tell()));
    await expect(tell()).rejects.toMatchObject({ code: 'overloaded', status: 503, retryAfterSeconds: 1 });
    expect(await metric('opencanvas_cpu_tasks_waiting')).toBe(WAITING);
    release(flag);
    await Promise.all(holding);
    // On a machine that was paused for three seconds some tasks time out.
    const late = (await waiting).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(late).toEqual(late.map(() => 'overloaded'));
    expect(late.length).toBeLessThan(WAITING);
    expect(await metric('opencanvas_cpu_tasks_waiting')).toBe(0);
    expect(await metric('opencanvas_cpu_tasks_refused_total')).toBe(1 + late.length);
  });

  it('refuses a task that has waited too long', async () => {
    await tell();
    const flag = newFlag();
    const holding = [0, 1].map(() => hold(flag));
    await expect(tell()).rejects.toMatchObject({ code: 'overloaded' });
    release(flag);
    await Promise.all(holding);
    await tell();
  });

  it('reserves a thread for authors, for any number of readers', async () => {
    const flag = newFlag();
    const readers = Promise.all(Array.from({ length: 10 }, () => hold(flag, null)));
    await held(flag, 1);
    await tell();
    await tell();
    release(flag);
    await readers;
  });

  it('runs one task of an author at a time, and those of others in parallel', async () => {
    const flag = newFlag();
    const [first, second] = [hold(flag, 'ada'), tell('ada')];
    await held(flag, 1);
    await tell('bob');
    expect(await Promise.race([second, tell('bob').then(() => 'waits')])).toBe('waits');
    release(flag);
    await first;
    expect((await second).threadId).toBeGreaterThan(0);
  });

  it.each([
    ['exceeds its limit', short, 'spin'],
    ['takes more memory than a thread has', task, 'hoard'],
  ] as const)('ends the thread of a task that %s, and replaces it', async (_, endless, does) => {
    const flag = newFlag();
    const beside = hold(flag);
    await held(flag, 1);
    await expect(pool.run(endless, { does }, null)).rejects.toThrow(TaskLimitExceeded);
    // The other thread is still blocked, so these tasks run in the new one.
    await tell();
    await expect(pool.run(endless, { does }, null)).rejects.toThrow(TaskLimitExceeded);
    await tell();
    release(flag);
    await beside;
  });

  it('counts the CPU time of a task, not the time that a busy host takes for it', async () => {
    if (process.platform !== 'linux') return;
    const flag = newFlag();
    const waiting = pool.run({ ...short, limitMs: 500 }, { does: 'hold', flag }, null);
    await held(flag, 1);
    await sleep(700);
    release(flag);
    await waiting;
  });

  it('tries a task of a command again on a busy machine, and then takes it as one that is too costly', async () => {
    const app = await openServices(
      new AppConfig(ENV_SCHEMA.parse(testEnvironment({ MONGODB_DATABASE: database.dbName }))),
      [],
    );
    const commands = app.get(CpuPool);
    commands.maxWall = 1;
    const flag = newFlag();
    const starved = { ...short, limitMs: 300 };
    const once = commands.run(starved, { does: 'hold', flag }, null);
    await held(flag, 2);
    release(flag);
    await expect(once).resolves.toMatchObject({ threadId: expect.any(Number) });

    await expect(commands.run(starved, { does: 'hold', flag: newFlag() }, null)).rejects.toThrow(TaskLimitExceeded);
    await app.close();
  });

  it('terminates its threads and their tasks at the end', async () => {
    const ending = new CpuPool(config);
    const flag = newFlag();
    const holding = expect(ending.run(task, { does: 'hold', flag }, null)).rejects.toThrow();
    await held(flag, 1);
    await ending.onApplicationShutdown();
    await holding;
  });
});

function newFlag(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Resolves when `count` tasks hold a thread. */
function held(flag: Int32Array, count: number): Promise<true> {
  return until(() => (Atomics.load(flag, 1) === count ? true : null));
}

function release(flag: Int32Array): void {
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
}

async function metric(name: string): Promise<number> {
  const { values } = await register.getSingleMetric(name)!.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}
