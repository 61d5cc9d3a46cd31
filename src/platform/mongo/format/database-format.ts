import type { Db, ReplaceOptions } from 'mongodb';
import { StartupError } from '../../../common/errors.js';
import { packageVersion } from '../../../config/package-version.js';

/**
 * Format of the data that this program writes: the number of its last migration. A release raises it whenever an earlier program must not
 * serve the data: also for rules that only code enforces (standing, removal, blocks, rules for texts).
 */
export const FORMAT = 8;
/** The oldest format that this program serves before `migrate up`, so that hosts can be replaced one by one. */
export const OLDEST_SERVED = 8;

export const DATABASE_FORMAT = 'database_format';
const CURRENT = 'current';
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

export type DatabaseFormat = {
  format: number;
  /** format of the oldest program that may serve the data */
  oldestProgram: number;
  /** version that raised the format */
  version: string;
  at: Date;
};
type StoredFormat = DatabaseFormat & { _id: string };

export type Program = { format: number; oldestServed: number; version: string };
export const PROGRAM: Program = { format: FORMAT, oldestServed: OLDEST_SERVED, version: packageVersion() };

/** Data of 0.1.0 and 0.2.0, which wrote no format. */
const UNMARKED: DatabaseFormat = { format: 0, oldestProgram: 0, version: '0.2.0 or earlier', at: new Date(0) };

/**
 * Servers of 0.2.0 and earlier know no format. They take this row for an unfinished restore and refuse to start: the way back is the
 * restore of a backup by that version, which deletes the row.
 */
export const EARLIER_PROGRAMS_OUT = 'running';
/** Contains one row while a restore is running, and the row above. */
export const RESTORES = 'restores';

/** Returns null for a database without accounts. */
export async function readFormat(db: Db): Promise<DatabaseFormat | null> {
  const formats = db.collection<StoredFormat>(DATABASE_FORMAT);
  const stored = await formats.findOne({ _id: CURRENT }, { readConcern: { level: 'majority' } });
  if (stored !== null) return stored;
  const account = await db.collection('users').findOne({}, { projection: { _id: 1 } });
  return account === null ? null : UNMARKED;
}

/** Returns the reason and the remedy, or null if the program may serve data of this format. */
export function refusalOf(
  { format, oldestProgram, version }: DatabaseFormat,
  database: string,
  program: Program = PROGRAM,
): string | null {
  if (format < program.oldestServed) {
    return (
      `The database ${database} has data of format ${format} (${version}), and ${program.version} serves format ${program.oldestServed} or newer: ` +
      'stop all servers, make a backup and run `npm run cli -- migrate up`.'
    );
  }
  if (format > program.format && program.format < oldestProgram) {
    return (
      `The database ${database} was migrated to format ${format} by ${version}, and ${program.version} serves format ${program.format} or older: ` +
      `install ${version} or newer, or restore a backup that was made before.`
    );
  }
  return null;
}

/**
 * Checks that this program may serve the data. Marks a database without accounts with the format of this program.
 * @returns the format of the data
 * @throws StartupError
 */
export async function requireFormat(db: Db): Promise<number> {
  const stored = await readFormat(db);
  if (stored === null) {
    await markFormat(db);
    return FORMAT;
  }
  const refusal = refusalOf(stored, db.databaseName);
  if (refusal !== null) throw new StartupError(refusal);
  return stored.format;
}

/** Marks data that this program has written. */
export async function markFormat(db: Db): Promise<void> {
  await keepEarlierProgramsOut(db);
  const { format, version } = PROGRAM;
  await writeFormat(db, { format, oldestProgram: format, version, at: new Date() });
}

/** @param options a session, or a write concern */
export async function writeFormat(db: Db, row: DatabaseFormat, options: ReplaceOptions = DURABLE): Promise<void> {
  await db.collection<StoredFormat>(DATABASE_FORMAT).replaceOne({ _id: CURRENT }, row, { ...options, upsert: true });
}

export async function keepEarlierProgramsOut(db: Db): Promise<void> {
  const row = { isGuard: true, reason: 'Version 0.2.0 and earlier cannot serve this data.', at: new Date() };
  await db
    .collection<{ _id: string }>(RESTORES)
    .updateOne({ _id: EARLIER_PROGRAMS_OUT }, { $setOnInsert: row }, { ...DURABLE, upsert: true });
}
