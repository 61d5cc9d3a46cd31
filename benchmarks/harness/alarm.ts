import { Worker } from 'node:worker_threads';

/** Sleeps to within some ten microseconds, which a timer of the event loop cannot. All threads share this clock. */
const SLEEPER = `
const { parentPort } = require('node:worker_threads');
const never = new Int32Array(new SharedArrayBuffer(4));
const now = () => Number(process.hrtime.bigint()) / 1e6;
parentPort.on('message', ({ first, times }) => {
  times.forEach((time, index) => {
    for (let left = time - now(); left > 0; left = time - now()) Atomics.wait(never, 0, 0, left);
    parentPort.postMessage(first + index);
  });
});`;
const LOOKS = 20;

/**
 * Rings at given times. A thread sleeps until then, because timers of the event loop are late by up to a millisecond, and a busy loop
 * for the rest takes a core from the measured server.
 */
export class Alarm {
  private readonly worker = new Worker(SLEEPER, { eval: true });
  private readonly offset = offsetOfSharedClock();
  /** Number of rings so far. On a busy machine rings of an earlier setting arrive after the next setting, and must not ring for it. */
  private rings = 0;

  /** Calls `ring` at each of the ascending times (on the clock of `performance.now()`), and passes the scheduled time. */
  set(times: readonly number[], ring: (time: number) => void): void {
    const first = this.rings;
    this.rings += times.length;
    this.worker.removeAllListeners('message');
    this.worker.on('message', (number: number) => {
      // Passes the given time, because a conversion to the shared clock and back may yield an earlier time.
      if (number >= first) ring(times[number - first]!);
    });
    this.worker.postMessage({ first, times: Float64Array.from(times, (time) => time + this.offset) });
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

/** Returns the offset of the shared clock to `performance.now()`. The closest pair counts, because the process may lose the CPU. */
function offsetOfSharedClock(): number {
  let closest = Infinity;
  let offset = 0;
  for (let look = 0; look < LOOKS; look++) {
    const before = performance.now();
    const shared = Number(process.hrtime.bigint()) / 1e6;
    const apart = performance.now() - before;
    if (apart >= closest) continue;
    closest = apart;
    // At worst late, by the time between two looks, and never early.
    offset = shared - before;
  }
  return offset;
}
