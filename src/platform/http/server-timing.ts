import type { ServerResponse } from 'node:http';

/** Only reads that had to wait are in here. */
const waits = new WeakMap<ServerResponse, number>();

/** To be told once, before the work of this read begins. */
export function noteQueueWait(response: ServerResponse, ms: number): void {
  waits.set(response, ms);
}

/**
 * `total;dur=` in milliseconds from when the request was let in, with `queue;dur=` before it when part of that was the wait for its
 * turn (`ConcurrencyLimiter`). Hits of the response cache have no such header: they wait for nothing, and every header of theirs is ready before they come.
 *
 * @param workMs since its turn came
 */
export function serverTiming(response: ServerResponse, workMs: number): string {
  const waitedMs = waits.get(response);
  if (waitedMs === undefined) return `total;dur=${workMs.toFixed(1)}`;
  return `queue;dur=${waitedMs.toFixed(1)}, total;dur=${(waitedMs + workMs).toFixed(1)}`;
}
