import { jest } from '@jest/globals';
import { Heartbeat, RestartPolicy, StartDeadline } from './process-health.js';

describe('Heartbeat', () => {
  let beats = 0;
  let silences = 0;
  let heartbeat: Heartbeat;

  beforeEach(() => {
    jest.useFakeTimers();
    beats = silences = 0;
    heartbeat = new Heartbeat(5_000, { beat: () => beats++, onUnresponsive: () => silences++ });
    heartbeat.start();
  });
  afterEach(() => {
    heartbeat.stop();
    jest.useRealTimers();
  });

  it('does not kill a process that responds late', () => {
    for (let turn = 0; turn < 100; turn++) {
      jest.advanceTimersByTime(4_900);
      heartbeat.onPong();
    }
    expect(silences).toBe(0);
    expect(beats).toBeGreaterThan(400);
  });

  it('reports silence once, no sooner than after the whole time', () => {
    jest.advanceTimersByTime(5_500);
    expect(silences).toBe(0);
    jest.advanceTimersByTime(60_000);
    expect(silences).toBe(1);
  });

  it('reports nothing after it was stopped', () => {
    heartbeat.stop();
    jest.advanceTimersByTime(60_000);
    expect([beats, silences]).toEqual([0, 0]);
  });
});

describe('StartDeadline', () => {
  /** The first reason within this number of checks. @param cpuMsPerCheck CPU time in each second */
  const reasonAfter = (checks: number, cpuMsPerCheck: number): string | undefined => {
    const deadline = new StartDeadline(60);
    for (let at = 1; at <= checks; at++) {
      const reason = deadline.check(at * cpuMsPerCheck);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };

  it('lets a process with 5 % of a core take ten minutes', () => {
    expect(reasonAfter(600, 50)).toBeUndefined();
  });

  it('lets a process that waits for less than a minute continue, again and again', () => {
    const deadline = new StartDeadline(60);
    const reasons = Array.from({ length: 1_000 }, (_, at) => deadline.check(Math.floor(at / 50) * 500));
    expect(reasons.every((reason) => reason === undefined)).toBe(true);
  });

  it('ends a process that does nothing', () => {
    expect(reasonAfter(59, 2)).toBeUndefined();
    expect(reasonAfter(60, 2)).toBe('was not ready within 60 s (no progress for 60 s)');
  });

  it('ends a process that computes without end', () => {
    expect(reasonAfter(119, 1_000)).toBeUndefined();
    expect(reasonAfter(120, 1_000)).toBe('was not ready within 120 s of CPU time');
  });
});

describe('RestartPolicy', () => {
  it('waits twice as long after every crash, up to the bound', () => {
    const policy = new RestartPolicy();
    const delays = Array.from({ length: 9 }, () => policy.crashed(true, 1_000).delayMs);
    expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  });

  it('forgets the crashes before a process that ran for long', () => {
    const policy = new RestartPolicy();
    policy.crashed(true, 1_000);
    policy.crashed(true, 1_000);
    expect(policy.crashed(true, 3_600_000).delayMs).toBe(100);
  });

  it.each([100, 90_000])('treats five exits before ready as a loop, when each start took %i ms', (livedMs) => {
    const policy = new RestartPolicy();
    const loops = [1, 2, 3, 4, 5].map(() => policy.crashed(false, livedMs).isLoop);
    expect(loops).toEqual([false, false, false, false, true]);
  });

  it('does not treat refusals as a loop, because they wait for the operator or the database', () => {
    const policy = new RestartPolicy();
    const loops = Array.from({ length: 20 }, () => policy.crashed(false, 100, true).isLoop);
    expect(loops).not.toContain(true);
  });

  it('does not count crashes of a ready process as a failing start', () => {
    const policy = new RestartPolicy();
    const loops = [false, false, true, false, false, false].map((wasReady) => policy.crashed(wasReady, 100).isLoop);
    expect(loops).not.toContain(true);
  });
});
