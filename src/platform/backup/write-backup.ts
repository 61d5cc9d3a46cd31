import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Compressor } from '@cloudpss/zstd';
import { type ClientSession, type Db, MongoServerError, type Timestamp } from 'mongodb';
import { packageVersion } from '../../config/package-version.js';
import { RESTORES } from '../mongo/format/database-format.js';
import { BACKUPS } from './last-backup.js';
import {
  BATCH_BYTES,
  type BackupBatch,
  type BackupManifest,
  batchFrame,
  headFrame,
  manifestFrame,
  Summaries,
} from './backup-file.js';

/** Excludes rows about running processes, which are useless elsewhere. Includes leases, because their tokens must continue to increase. */
const EXCLUDED_COLLECTIONS = new Set(['process_sessions', RESTORES, BACKUPS]);
const LEVEL = 3;
/** An index was dropped, or a collection created, after the time of the snapshot. A later snapshot includes the change. */
const SNAPSHOT_TOO_OLD = 239;
const LOST_SNAPSHOTS = new Set<unknown>([SNAPSHOT_TOO_OLD, 246]);
const ATTEMPTS = 3;

export type BackupOptions = {
  db: Db;
  /** path of the new file, or a stream */
  to: string | NodeJS.WritableStream;
  onProgress: (progress: { collection: string; written: number; share: number }) => void;
  signal: AbortSignal;
};

/**
 * Writes a snapshot of all documents without a lock. A file appears whole or not at all; a stream that ends early is incomplete. The server
 * must retain the history of the snapshot (`SnapshotWindow`).
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeOnce(options);
    } catch (error) {
      if (!isSnapshotLost(error)) throw error;
      // A stream cannot be written again.
      if (attempt === ATTEMPTS || typeof options.to !== 'string') throw explainLostSnapshot(error);
    }
  }
}

async function writeOnce(options: BackupOptions): Promise<BackupManifest> {
  const { db, to, signal } = options;
  const session = db.client.startSession({ snapshot: true });
  let manifest: BackupManifest | undefined;
  const frames = async function* (): AsyncGenerator<Uint8Array> {
    yield headFrame();
    manifest = yield* batches(options, session);
    yield manifestFrame(manifest);
  };
  const compressor = new Compressor(LEVEL);
  try {
    if (typeof to === 'string') await writeFile(to, (output) => pipeline(frames, compressor, output, { signal }));
    else await pipeline(frames, compressor, to, { signal });
    return manifest!;
  } finally {
    await session.endSession();
  }
}

async function writeFile(file: string, write: (output: Writable) => Promise<void>): Promise<void> {
  const partial = `${file}.partial`;
  try {
    // The file contains password hashes and addresses.
    const output = createWriteStream(partial, { mode: 0o600, flush: true });
    await write(output);
    await rename(partial, file);
    await syncDirectory(dirname(file));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* batches(
  { db, onProgress }: BackupOptions,
  session: ClientSession,
): AsyncGenerator<Uint8Array, BackupManifest> {
  // The first read fixes the time of the snapshot.
  await db.collection('leases').findOne({}, { session, projection: { _id: 1 } });
  const names = await listCollections(db);
  const counts = await Promise.all(names.map((name) => db.collection(name).estimatedDocumentCount()));
  const total = Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
  const summaries = new Summaries();
  let written = 0;
  for (const collection of names) {
    onProgress({ collection, written, share: Math.min(1, written / total) });
    for await (const { documents, count } of readAll(db, collection, session)) {
      summaries.add({ collection, documents }, count);
      yield batchFrame({ collection, documents });
      written += count;
      onProgress({ collection, written, share: Math.min(1, written / total) });
    }
  }
  const { snapshotTime } = session as { snapshotTime?: Timestamp };
  // The server returns no time for a database without collections.
  if (snapshotTime === undefined) throw new Error(`the database ${db.databaseName} is empty`);
  const takenAt = new Date(snapshotTime.getHighBits() * 1_000);
  return { appVersion: packageVersion(), database: db.databaseName, takenAt, collections: summaries.list() };
}

async function listCollections(db: Db): Promise<string[]> {
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.') && !EXCLUDED_COLLECTIONS.has(name))
    .sort();
}

/** Passes documents on as the bytes that the server sent. */
async function* readAll(
  db: Db,
  collection: string,
  session: ClientSession,
): AsyncGenerator<Pick<BackupBatch, 'documents'> & { count: number }> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const document of db.collection(collection).find({}, { session, raw: true })) {
    held.push(document as unknown as Uint8Array);
    bytes += held.at(-1)!.length;
    if (bytes < BATCH_BYTES) continue;
    yield { documents: Buffer.concat(held), count: held.length };
    [held, bytes] = [[], 0];
  }
  if (held.length > 0) yield { documents: Buffer.concat(held), count: held.length };
}

function isSnapshotLost(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && LOST_SNAPSHOTS.has(error.code);
}

function explainLostSnapshot(error: MongoServerError): Error {
  if (error.code !== SNAPSHOT_TOO_OLD) return error;
  const remedy =
    'run the backup as a MongoDB user with the role hostManager on admin, ' +
    'or start mongod with minSnapshotHistoryWindowInSeconds longer than a backup takes';
  return new Error(`MongoDB dropped the history that the backup reads (SnapshotTooOld): ${remedy}`, { cause: error });
}

/** Makes the name of the file as durable as its bytes. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
