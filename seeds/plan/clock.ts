import type { Random } from '../sampling/random.js';

// All times of the plan are seconds since 1970, the resolution of an ObjectId.
export const HOUR = 3600;
export const DAY = 24 * HOUR;

/** Returns a moment between two others, most often soon after the first. */
export function soonAfter(random: Random, from: number, now: number): number {
  return from + Math.floor((now - from) * Math.pow(random.float(), 4));
}

/** Returns the row numbers in the order of their times, older first. Equal times stay in the order of the rows. */
export function orderByTime(times: Uint32Array): Uint32Array {
  // One float holds the time since the earliest (27 bits for four years) and the row (24), so the sort needs no comparator.
  const rowBits = Math.max(1, Math.ceil(Math.log2(times.length + 1)));
  const scale = 2 ** rowBits;
  let earliest = Infinity;
  for (const time of times) if (time < earliest) earliest = time;
  const keys = new Float64Array(times.length);
  for (let i = 0; i < times.length; i++) keys[i] = (times[i]! - earliest) * scale + i;
  keys.sort();
  const order = new Uint32Array(times.length);
  for (let i = 0; i < keys.length; i++) order[i] = keys[i]! % scale;
  return order;
}

export function pickOrder(column: Uint32Array, order: Uint32Array): Uint32Array {
  const sorted = new Uint32Array(column.length);
  for (let i = 0; i < order.length; i++) sorted[i] = column[order[i]!]!;
  return sorted;
}
