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
  for (let at = from; at <= to && starts.length <= MAX_BUCKETS; at = next(at, bucket))
    starts.push(bucketOf(at, bucket));
  return starts;
}

/** Returns the first day of the next bucket. */
function next(day: string, bucket: Bucket): string {
  const start = new Date(bucketOf(day, bucket));
  if (bucket === 'month') start.setUTCMonth(start.getUTCMonth() + 1);
  else start.setUTCDate(start.getUTCDate() + (bucket === 'week' ? 7 : 1));
  return dayAt(start.getTime());
}

function firstOf(last: string, bucket: Bucket): string {
  const start = new Date(bucketOf(last, bucket));
  const before = USUAL_BUCKETS - 1;
  if (bucket === 'month') start.setUTCMonth(start.getUTCMonth() - before);
  else start.setUTCDate(start.getUTCDate() - before * (bucket === 'week' ? 7 : 1));
  return dayAt(start.getTime());
}

export function dayAt(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
