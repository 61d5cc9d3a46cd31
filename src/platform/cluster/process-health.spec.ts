import { jest } from '@jest/globals';
import { Heartbeat } from './process-health.js';

describe('Heartbeat', () => {
  let beats = 0;
  let silences = 0;
  let heartbeat: Heartbeat;

  beforeEach(() => {
    jest.useFakeTimers();
    beats = silences = 0;
    heartbeat = new Heartbeat(5_000, { beat: () => beats++, onSilence: () => silences++ });
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
