import type { Page } from './page.js';

const LARGEST_READ = 1_000;

/**
 * Reads a page of rows whose targets (the post of a save, the account of a follow) may have been deleted. Continues reading until the page
 * is full or the list ends, so pages are never short and `nextCursor` is null only at the end. A page that has read `maxRows` may be short.
 * @param read returns the next `count` rows after `last` (null: after the caller's cursor)
 * @param resolve returns the targets in the order of the rows, with null for one that the viewer may not read
 */
export async function fullPage<Row, T>(
  limit: number,
  read: (last: Row | null, count: number) => Promise<Row[]>,
  resolve: (rows: Row[]) => Promise<(T | null)[]>,
  cursorOf: (row: Row) => string,
  maxRows = Infinity,
): Promise<Page<T>> {
  const found: { row: Row; value: T }[] = [];
  let last: Row | null = null;
  let rest = maxRows;
  for (let count = limit + 1; found.length <= limit; count = Math.min(2 * count, LARGEST_READ, rest)) {
    const rows: Row[] = await read(last, count);
    const values = rows.length === 0 ? [] : await resolve(rows);
    rows.forEach((row, index) => {
      const value = values[index];
      if (value !== null && value !== undefined) found.push({ row, value });
    });
    if (rows.length < count) break;
    last = rows[rows.length - 1]!;
    rest -= count;
    if (rest === 0 && found.length <= limit)
      return { data: found.map(({ value }) => value), page: { nextCursor: cursorOf(last) } };
  }
  const hasMore = found.length > limit;
  const data = found.slice(0, limit).map(({ value }) => value);
  return { data, page: { nextCursor: hasMore ? cursorOf(found[limit - 1]!.row) : null } };
}
