import { jest } from '@jest/globals';
import { Heartbeat, RestartPolicy } from './process-health.js';

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

describe('RestartPolicy', () => {
  it('waits twice as long after every crash, up to the bound', () => {
    const policy = new RestartPolicy();
    const delays = Array.from({ length: 9 }, (_, at) => policy.crashed(true, 1_000, at * 60_000).delayMs);
    expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  });

  it('forgets the crashes before a process that ran for long', () => {
    const policy = new RestartPolicy();
    policy.crashed(true, 1_000, 0);
    policy.crashed(true, 1_000, 0);
    expect(policy.crashed(true, 3_600_000, 0).delayMs).toBe(100);
  });

  it('treats five exits before ready within 30 s as a loop, but not slower ones', () => {
    const fast = new RestartPolicy();
    expect([0, 1, 2, 3, 4].map((second) => fast.crashed(false, 100, second * 1_000).isLoop)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    const slow = new RestartPolicy();
    expect([0, 1, 2, 3, 4, 5].some((at) => slow.crashed(false, 100, at * 10_000).isLoop)).toBe(false);
  });

  it('does not count crashes of a ready process as a failing start', () => {
    const policy = new RestartPolicy();
    const loops = [false, false, true, false, false, false].map((wasReady) => policy.crashed(wasReady, 100, 0).isLoop);
    expect(loops).not.toContain(true);
  });
});
