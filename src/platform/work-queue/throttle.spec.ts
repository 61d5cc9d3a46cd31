import { Throttle } from './throttle.js';

describe('the rate of the work queue', () => {
  it('limits many small batches', async () => {
    const rate = new Throttle(2_000);
    const started = performance.now();
    for (let i = 0; i < 10; i++) await rate.wait(20, new AbortController().signal);
    expect(performance.now() - started).toBeGreaterThanOrEqual(95);
  });

  it('limits all callers together', async () => {
    const rate = new Throttle(1_000);
    const started = performance.now();
    const { signal } = new AbortController();
    await Promise.all([rate.wait(50, signal), rate.wait(50, signal)]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(95);
  });

  it('stops waiting when the worker has to stop', async () => {
    const stop = new AbortController();
    const waiting = new Throttle(10).wait(1_000, stop.signal);
    setTimeout(() => stop.abort(new Error('the process ends')), 10);
    await expect(waiting).rejects.toThrow('the process ends');
    await expect(new Throttle(10).wait(0, stop.signal)).rejects.toThrow('the process ends');
  });
});
