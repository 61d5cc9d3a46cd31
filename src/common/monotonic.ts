import { performance } from 'node:perf_hooks';

/** Milliseconds since the process began, for deadlines and lifetimes: the time of day may be set back. Costs what `Date.now()` does. */
export function monotonicMs(): number {
  return performance.now();
}
