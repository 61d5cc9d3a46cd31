import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Alarm } from './alarm.js';
import { followTimetable, requestsUpTo, secondsOfRequest } from './open-loop.js';
import { LatencyRecorder, median, spreadOf } from './statistics.js';

const THREADS = '/proc/self/task';
/** Returns the CPU time of a thread, in hundredths of a second, or 0 after its end. */
function ticksOf(thread: string): number {
  if (!existsSync(`${THREADS}/${thread}`)) return 0;
  const fields = readFileSync(`${THREADS}/${thread}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

describe('the open loop', () => {
  it('sends as many requests as the area under a ramp, each at its time', () => {
    const ramp = { name: 'ramp', seconds: 60, fromPerSecond: 10, toPerSecond: 100, isTimed: true };
    expect(requestsUpTo(ramp, 60)).toBe(3_300);
    expect(secondsOfRequest(ramp, 0)).toBe(0);
    expect(secondsOfRequest(ramp, 3_300)).toBeCloseTo(60, 9);
    for (const index of [1, 500, 3_299])
      expect(requestsUpTo(ramp, secondsOfRequest(ramp, index))).toBeCloseTo(index, 6);
  });

  it('sends every request, none too early, and leaves the CPU to the server', async () => {
    const others = new Set(readdirSync(THREADS));
    const alarm = new Alarm();
    const latenessOf = async (rate: number) => {
      const late: number[] = [];
      const phase = { name: '', seconds: 1, fromPerSecond: rate, toPerSecond: rate, isTimed: true };
      await followTimetable(alarm, phase, (dueAt) => late.push(performance.now() - dueAt));
      return late;
    };
    await latenessOf(10);
    const threads = readdirSync(THREADS).filter((thread) => !others.has(thread));
    const ticks = () => Math.max(...threads.map(ticksOf));
    const before = ticks();
    const slow = await latenessOf(250);
    const used = ticks() - before;
    const fast = await latenessOf(3_000);
    await alarm.stop();

    expect([slow.length, fast.length]).toEqual([250, 3_000]);
    expect(Math.min(...slow, ...fast)).toBeGreaterThanOrEqual(0);
    // A thread that spins uses all of a second.
    expect(used).toBeLessThan(50);
  });
});

describe('the alarm', () => {
  it('drops the rings of an earlier setting', async () => {
    const alarm = new Alarm();
    try {
      await new Promise<void>((resolve) => alarm.set([performance.now()], () => resolve()));
      const now = performance.now();
      let rung = 0;
      alarm.set([now, now, now], () => rung++);
      // Blocks the event loop until the thread has rung three times.
      while (performance.now() < now + 100);
      const later = performance.now() + 50;
      await new Promise<void>((resolve) => alarm.set([later], () => resolve()));
      expect(performance.now()).toBeGreaterThanOrEqual(later);
      expect(rung).toBe(0);
    } finally {
      await alarm.stop();
    }
  });

  it('rings at the scheduled times and never early', async () => {
    const alarm = new Alarm();
    for (let round = 0; round < 20; round++) {
      const from = performance.now();
      const times = Array.from({ length: 10 }, (_, index) => from + index / 3);
      const rung: number[] = [];
      const early: number[] = [];
      await new Promise<void>((resolve) =>
        alarm.set(times, (time) => {
          if (performance.now() < time) early.push(time);
          if (rung.push(time) === times.length) resolve();
        }),
      );
      expect(rung).toEqual(times);
      expect(early).toEqual([]);
    }
    await alarm.stop();
  });
});

describe('statistics', () => {
  it('computes percentiles of all values, and medians and spreads of runs', () => {
    const recorder = new LatencyRecorder();
    for (let value = 100_000; value > 0; value--) recorder.add(value);
    expect(recorder.summary()).toEqual({ mean: 50_000.5, p50: 50_000, p95: 95_000, p99: 99_000, max: 100_000 });
    expect(median([3, 1, 2])).toBe(2);
    expect(spreadOf([90, 100, 110])).toBeCloseTo(0.1);
  });
});
