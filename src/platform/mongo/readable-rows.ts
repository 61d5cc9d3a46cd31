import { Logger } from '@nestjs/common';
import { counter } from '../prometheus/metric.js';

const logger = new Logger('Rows');
/** ids whose skips are logged once per process */
const MAX_LOGGED = 1_000;
const logged = new Set<string>();

const skippedTotal = counter({
  name: 'opencanvas_rows_skipped_total',
  help: 'Stored rows that a reader of many rows could not read and skipped, by reader',
  labelNames: ['what'],
});

/** Counts a row that a reader of many rows skips, because one bad row must not stop the others. Logs its id once. */
export function skipRow(what: string, id: unknown, error: unknown): void {
  skippedTotal.inc({ what });
  const name = `${what} ${String(id)}`;
  if (logged.has(name) || logged.size >= MAX_LOGGED) return;
  logged.add(name);
  logger.error(
    `The row ${name} cannot be read and is skipped: ${error instanceof Error ? error.message : String(error)}`,
  );
}

/** Maps rows, and skips those for which `read` throws. */
export function readRows<Row, T>(
  what: string,
  rows: readonly Row[],
  idOf: (row: Row) => unknown,
  read: (row: Row) => T,
): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      skipRow(what, idOf(row), error);
      return [];
    }
  });
}
