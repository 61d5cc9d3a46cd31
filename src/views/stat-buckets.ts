import { CodedError } from '../common/errors.js';
import { namedValues } from '../common/named-values.js';

export const BUCKETS = namedValues('StatBucket', ['day', 'week', 'month']);
export type Bucket = (typeof BUCKETS)[number];

const DAY_MS = 86_400_000;
const MAX_BUCKETS = 400;
const USUAL_BUCKETS = 30;

/** Days as `yyyy-mm-dd`, both included. */
export type StatRange = { from: string; to: string; bucket: Bucket };

/** Fills in the last 30 buckets. @throws CodedError `invalid_range` for more than 400 buckets or none */
export function statRange({ from, to, bucket = 'day' }: Partial<StatRange>, now = Date.now()): StatRange {
  const last = to ?? dayAt(now);
  const first = from ?? firstOf(last, bucket);
  const range = { from: first, to: last, bucket };
  const count = startsOf(range).length;
  if (count > 0 && count <= MAX_BUCKETS) return range;
  const message = count === 0 ? 'must not be after to' : `allows at most ${MAX_BUCKETS} buckets`;
  throw new CodedError('invalid_range', `from ${message}.`, {
    fields: [{ field: 'from', message: `from ${message}` }],
  });
}

/** Returns the first day of the bucket of a day. Weeks begin on Monday. */
export function bucketOf(day: string, bucket: Bucket): string {
  if (bucket === 'month') return `${day.slice(0, 7)}-01`;
  if (bucket === 'day') return day;
  const time = Date.parse(day);
  return dayAt(time - ((new Date(time).getUTCDay() + 6) % 7) * DAY_MS);
}

/** Returns the first days of all buckets, oldest first, and at most one more than are allowed. */
export function startsOf({ from, to, bucket }: StatRange): string[] {
  const starts: string[] = [];
  const start = new Date(bucketOf(from, bucket));
  const isMore = (at: string): boolean => from <= to && at <= to && starts.length <= MAX_BUCKETS;
  for (let at = bucketOf(from, bucket); isMore(at); at = dayAt(move(start, bucket, 1))) starts.push(at);
  return starts;
}

function firstOf(last: string, bucket: Bucket): string {
  return dayAt(move(new Date(bucketOf(last, bucket)), bucket, 1 - USUAL_BUCKETS));
}

function move(start: Date, bucket: Bucket, count: number): number {
  if (bucket === 'month') return start.setUTCMonth(start.getUTCMonth() + count);
  return start.setUTCDate(start.getUTCDate() + count * (bucket === 'week' ? 7 : 1));
}

/** Costs a quarter of `toISOString`, which 400 buckets call twice each. */
export function dayAt(time: number): string {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  return `${String(year).padStart(4, '0')}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}
