import { BSON, type Db, ObjectId } from 'mongodb';
import { ALL_CHANGED, eventRow, EVENTS, type StoredEvent } from '../events/event.schema.js';
import { dropCollections } from '../mongo/drop-collections.js';
import {
  DATABASE_FORMAT,
  type DatabaseFormat,
  FORMAT,
  keepEarlierProgramsOut,
  refusalOf,
  RESTORES,
} from '../mongo/format/database-format.js';
import { RUNNING_RESTORE } from '../mongo/indexes/index-check.js';
import { type BackupManifest, readBackup } from './backup-file.js';

export type RestoreOptions = {
  db: Db;
  file: string;
  ensureIndexes: () => Promise<void>;
  onProgress: (progress: RestoreProgress) => void;
  signal: AbortSignal;
};

export type RestoreProgress = {
  phase: 'checking' | 'documents' | 'indexes';
  collection: string;
  read: number;
  share: number;
};

/** `by` is the id of the restore: a second restore drops the data of the first and replaces this row. */
type RestoreRow = { _id: string; by: ObjectId; at: Date };

/** Preserves the BSON types of values. */
const AS_STORED = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

/**
 * Replaces the contents of the database after the whole file was read and verified. A row marks the restore as unfinished until the end, so
 * that a server rejects a partly restored database.
 * @throws DamagedBackup
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { db, file, ensureIndexes, onProgress, signal } = options;
  const pass = async (phase: 'checking' | 'documents', store?: typeof insert): Promise<BackupManifest> => {
    let read = 0;
    return readBackup(file, async ({ collection, parts, share }) => {
      signal.throwIfAborted();
      await store?.(db, collection, parts);
      read += parts.length;
      onProgress({ phase, collection, read, share });
    });
  };
  await pass('checking', requireServedFormat);
  onProgress({ phase: 'documents', collection: '', read: 0, share: 0 });
  const writeConcern = { w: 'majority' } as const;
  const restores = db.collection<RestoreRow>(RESTORES);
  const mine = { _id: RUNNING_RESTORE, by: new ObjectId() };
  // Runs first, so that a server also rejects a partly dropped database.
  await restores.replaceOne({ _id: RUNNING_RESTORE }, { ...mine, at: new Date() }, { upsert: true, writeConcern });
  await dropCollections(db, RESTORES);
  const manifest = await pass('documents', insert);
  const read = manifest.collections.reduce((sum, { documents }) => sum + documents, 0);
  onProgress({ phase: 'indexes', collection: '', read, share: 1 });
  await ensureIndexes();
  if (manifest.collections.some(({ name }) => name === DATABASE_FORMAT)) await keepEarlierProgramsOut(db);
  if ((await restores.countDocuments(mine)) === 0) throw new Error('another restore took the database over');
  // Servers must drop responses and indexes of the earlier rows. This majority write also makes all earlier writes durable.
  await db.collection<StoredEvent>(EVENTS).insertOne(eventRow(ALL_CHANGED, null), { writeConcern });
  await restores.deleteOne(mine, { writeConcern });
  return manifest;
}

async function requireServedFormat(db: Db, collection: string, parts: Buffer[]): Promise<void> {
  if (collection !== DATABASE_FORMAT) return;
  const stored = BSON.deserialize(parts[0]!) as DatabaseFormat;
  const refusal = stored.format > FORMAT ? refusalOf(stored, db.databaseName) : null;
  if (refusal !== null) throw new Error(refusal);
}

async function insert(db: Db, collection: string, parts: Buffer[]): Promise<void> {
  const documents = parts.map((bytes) => BSON.deserialize(bytes, AS_STORED));
  // `insertMany` would serialize every document twice.
  const answer = await db.command({ insert: collection, documents, ordered: false, writeConcern: { w: 1 } });
  const [failure] = (answer['writeErrors'] ?? []) as { errmsg?: string }[];
  if (failure !== undefined) throw new Error(`a document of ${collection} was refused: ${failure.errmsg}`);
}
