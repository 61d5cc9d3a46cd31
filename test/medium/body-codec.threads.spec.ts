import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { roundTrips } from '../support/round-trips.js';

const PROGRAM = new URL('../support/codec.thread.mjs', import.meta.url);
const MS = 2_000;

it('compresses texts in several threads and on the main thread, and restores each exactly', async () => {
  const threads = Array.from({ length: 3 }, () => new Worker(PROGRAM, { workerData: MS }));
  const answers = threads.map((thread) => once(thread, 'message'));
  await Promise.all(threads.map((thread) => once(thread, 'online')));
  const own = roundTrips(MS);
  const results = [own, ...(await Promise.all(answers)).map(([result]) => result as typeof own)];
  await Promise.all(threads.map((thread) => thread.terminate()));
  for (const { count, wrong } of results) {
    expect(count).toBeGreaterThan(3);
    expect(wrong).toBe(0);
  }
});
