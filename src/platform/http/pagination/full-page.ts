import { type Page, pageOf } from './page.js';

const LARGEST_READ = 1_000;

/**
 * A page of rows that refer to something else (a save to its post, a follow to its account), which may be deleted. It reads on until
 * the page is full or the list has ended, so pages are never short and `nextCursor` is null only at the end.
 * @param read the next `count` rows after `last` (null: after the caller's cursor)
 * @param resolve what each row refers to, in order; null if the reader may not see it
 */
export async function fullPage<Row, T>(
  limit: number,
  read: (last: Row | null, count: number) => Promise<Row[]>,
  resolve: (rows: Row[]) => Promise<(T | null)[]>,
  cursorOf: (row: Row) => string,
): Promise<Page<T>> {
  const found: { row: Row; value: T }[] = [];
  let last: Row | null = null;
  for (let count = limit + 1; found.length <= limit; count = Math.min(2 * count, LARGEST_READ)) {
    const rows: Row[] = await read(last, count);
    const values = rows.length === 0 ? [] : await resolve(rows);
    rows.forEach((row, index) => {
      const value = values[index];
      if (value !== null && value !== undefined) found.push({ row, value });
    });
    if (rows.length < count) break;
    last = rows[rows.length - 1]!;
  }
  return pageOf(
    found,
    limit,
    ({ value }) => value,
    ({ row }) => cursorOf(row),
  );
}
