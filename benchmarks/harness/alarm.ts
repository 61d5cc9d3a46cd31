import { Worker } from 'node:worker_threads';

/** Sleeps to within some ten microseconds, which a timer of the event loop cannot; the clock is the one all threads share. */
const SLEEPER = `
const { parentPort } = require('node:worker_threads');
const never = new Int32Array(new SharedArrayBuffer(4));
const now = () => Number(process.hrtime.bigint()) / 1e6;
parentPort.on('message', (times) => {
  for (const time of times) {
    for (let left = time - now(); left > 0; left = time - now()) Atomics.wait(never, 0, 0, left);
    parentPort.postMessage(time);
  }
});`;

/**
 * Rings at given times. A thread sleeps for it: timers of the event loop are late by up to a millisecond, and waiting for the rest of
 * it in a loop takes a core from the server that is measured.
 */
export class Alarm {
  private readonly worker = new Worker(SLEEPER, { eval: true });
  /** from `performance.now()` of this thread to the shared clock */
  private readonly offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();

  /** Calls `ring` at each of the times (as `performance.now()` tells it, ascending), with the time that was meant. */
  set(times: readonly number[], ring: (time: number) => void): void {
    this.worker.removeAllListeners('message');
    this.worker.on('message', (time: number) => ring(time - this.offset));
    this.worker.postMessage(Float64Array.from(times, (time) => time + this.offset));
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
