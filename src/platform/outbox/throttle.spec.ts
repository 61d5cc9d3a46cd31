import { SweepRate } from './throttle.js';

describe('the rate of the sweeper', () => {
  it('holds over many small batches', async () => {
    const rate = new SweepRate(2_000);
    const started = performance.now();
    for (let i = 0; i < 10; i++) await rate.spend(20, new AbortController().signal);
    expect(performance.now() - started).toBeGreaterThanOrEqual(95);
  });

  it('holds for all who share it', async () => {
    const rate = new SweepRate(1_000);
    const started = performance.now();
    const { signal } = new AbortController();
    await Promise.all([rate.spend(50, signal), rate.spend(50, signal)]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(95);
  });

  it('lets go at once when the sweeper has to stop', async () => {
    const stop = new AbortController();
    const waiting = new SweepRate(10).spend(1_000, stop.signal);
    setTimeout(() => stop.abort(new Error('the process ends')), 10);
    await expect(waiting).rejects.toThrow('the process ends');
    await expect(new SweepRate(10).spend(0, stop.signal)).rejects.toThrow('the process ends');
  });
});
