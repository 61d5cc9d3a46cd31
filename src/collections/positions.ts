/** in byte order, the order of strings in MongoDB */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = DIGITS.length;
/** number of digits of a position at an end of the list */
const WIDTH = 4;
const ALL = BASE ** WIDTH;
/** distance of a new item from the end of the list; fits thousands of items at the end and hundreds between two items */
const STEP = BASE ** 2;

export const MAX_POSITION = 40;
/** Matches a fraction between 0 and 1 without `0.` and without trailing zeros, so that each number has one string. */
export const POSITION_PATTERN = '^[0-9A-Za-z]{0,39}[1-9A-Za-z]$';

/**
 * Returns a position between two neighbors (null: an end of the list). Returns null if no position of at most MAX_POSITION characters
 * exists; the caller must then reassign all positions.
 */
export function positionBetween(before: string | null, after: string | null): string | null {
  if (before !== null && after !== null && before >= after) return null;
  const position = atEnd(before, after) ?? middle(before ?? '', after);
  return position.length > MAX_POSITION ? null : position;
}

/** Returns evenly spaced positions in order. */
export function evenPositions(count: number): string[] {
  const gap = Math.floor(ALL / (count + 1));
  return Array.from({ length: count }, (_, index) => textOf((index + 1) * gap));
}

/** Returns a position one STEP beyond the end. Halving the gap would need one more digit for every six items. */
function atEnd(before: string | null, after: string | null): string | null {
  if (before !== null && after !== null) return null;
  const at = before !== null ? numberOf(before) + STEP : after !== null ? numberOf(after) - STEP : ALL / 2;
  return at > 0 && at < ALL ? textOf(at) : null;
}

/** Returns the shortest middle of two fractions. @param after null: 1 */
function middle(before: string, after: string | null): string {
  if (after !== null) {
    let same = 0;
    while ((before[same] ?? '0') === after[same]) same++;
    if (same > 0) return after.slice(0, same) + middle(before.slice(same), after.slice(same));
  }
  const low = before === '' ? 0 : DIGITS.indexOf(before[0]!);
  const high = after === null ? BASE : DIGITS.indexOf(after[0]!);
  if (high - low > 1) return DIGITS[Math.round((low + high) / 2)]!;
  if (after !== null && after.length > 1) return after[0]!;
  return DIGITS[low]! + middle(before.slice(1), null);
}

function numberOf(position: string): number {
  let number = 0;
  for (let at = 0; at < WIDTH; at++) number = number * BASE + DIGITS.indexOf(position[at] ?? '0');
  return number;
}

function textOf(number: number): string {
  let rest = number;
  let width = WIDTH;
  for (; rest % BASE === 0; rest /= BASE) width--;
  let text = '';
  for (; text.length < width; rest = Math.floor(rest / BASE)) text = DIGITS[rest % BASE]! + text;
  return text;
}
