/** The highest counts of a day, each with its key, highest first. */
export type TopCount = { key: string; count: number };

const KEPT = 20;
/** the key of all referrers beyond the highest */
export const OTHER = 'other';

/** Adds counts to stored ones and returns the 20 highest. @param rest the key that takes the others; they are dropped without it */
export function addTop(stored: readonly TopCount[] = [], added: Iterable<TopCount>, rest?: string): TopCount[] {
  const sums = new Map<string, number>();
  for (const { key, count } of [...stored, ...added]) sums.set(key, (sums.get(key) ?? 0) + count);
  const sorted = [...sums].map(([key, count]) => ({ key, count })).sort((a, b) => b.count - a.count);
  const named = sorted.filter(({ key }) => key !== rest);
  const others = sorted.filter((one) => one.key === rest || named.indexOf(one) >= KEPT);
  const count = others.reduce((sum, other) => sum + other.count, 0);
  return [...named.slice(0, KEPT), ...(rest !== undefined && count > 0 ? [{ key: rest, count }] : [])];
}
