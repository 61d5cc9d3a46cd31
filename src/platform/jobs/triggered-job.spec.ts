import { jest } from '@jest/globals';
import { idle, useFakeTime } from '../../../test/support/fake-time.js';
import { type JobOfRows, TriggeredJob } from './triggered-job.js';

const EVERY_MS = 1_000;

/** Runs a job over rows that are due at these times. */
function jobOf(dueAt: number[], options: Partial<JobOfRows> = {}) {
  /** the second of each run */
  const runs: number[] = [];
  let checks = 0;
  const now = (): number => performance.now() - startedAt;
  const startedAt = performance.now();
  const job = new TriggeredJob(
    'test',
    {
      everyMs: EVERY_MS,
      dueInMs: async () => {
        checks++;
        return Math.min(...dueAt) - now();
      },
      work: async () => {
        runs.push(Math.floor(now() / 1_000));
        while (dueAt.length > 0 && Math.min(...dueAt) <= now()) dueAt.splice(dueAt.indexOf(Math.min(...dueAt)), 1);
      },
      ...options,
    },
    { run: (_name, work) => work(new AbortController().signal, undefined!).then(() => 'done' as const) },
  );
  job.trigger();
  return { job, runs, checks: () => checks };
}

async function pass(ms: number): Promise<void> {
  await idle();
  for (let passed = 0; passed < ms; passed += 100) {
    jest.advanceTimersByTime(100);
    await idle();
  }
}

describe('a job of rows', () => {
  useFakeTime();

  it('looks for rows every 30 s while nothing is due, and no longer when it is stopped', async () => {
    const { job, runs, checks } = jobOf([]);

    await pass(65_000);
    expect([runs, checks()]).toEqual([[], 3]);

    job.stop();
    job.trigger();
    await pass(65_000);
    expect(checks()).toBe(3);
  });

  it('sleeps until the next row is due', async () => {
    const { runs } = jobOf([12_000, 17_000]);

    await pass(40_000);

    expect(runs).toEqual([12, 17]);
  });

  it('runs at once for rows that are written later, but at most once in its time', async () => {
    const rows: number[] = [];
    const { job, runs } = jobOf(rows);
    const write = (at: number): void => {
      rows.push(at);
      job.trigger();
    };
    await pass(5_000);

    write(5_000);
    await pass(100);
    for (let count = 0; count < 5; count++) write(5_100);
    await pass(10_000);

    expect(runs).toEqual([5, 6]);
  });

  it('looks again after a trigger during its run, and after a failure', async () => {
    const rows: number[] = [];
    let hasFailed = false;
    const { job, checks } = jobOf(rows, {
      dueInMs: async () => {
        if (hasFailed) return Infinity;
        hasFailed = true;
        throw new Error('no database');
      },
    });
    await pass(EVERY_MS);
    expect([hasFailed, checks()]).toEqual([true, 0]);
    job.stop();

    const runs: number[] = [];
    const other = jobOf([0], {
      work: async () => {
        runs.push(runs.length);
        if (runs.length === 1) other.job.trigger();
      },
    });
    await pass(1.5 * EVERY_MS);
    expect(runs).toEqual([0, 1]);
  });
});
