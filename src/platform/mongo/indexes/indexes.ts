import { isDeepStrictEqual } from 'node:util';
import type { Db, Document } from 'mongodb';
import type { Connection, Model } from 'mongoose';
import { readValidator } from '../collection-validator.js';
import { diffIndexes, type ExistingIndex, type IndexDiff, type IndexShape } from './index-diff.js';

export interface CollectionDiff extends IndexDiff {
  collection: string;
  /** how many indexes its schema declares */
  declaredCount: number;
  /** the validator the schema declares is not (or not so) in force */
  isValidatorStale: boolean;
}

export interface EnsureOptions {
  /** also drop indexes that no schema declares or whose options changed; prefixes of others are only reported */
  dropUndeclared?: boolean;
  onProgress?: (line: string) => void;
}

interface Wanted {
  collection: string;
  indexes: IndexShape[];
  validator: Document | undefined;
}

/** What `ensureIndexes` would do, per collection of the registered models; collections in order are left out. */
export async function diffCollections(connection: Connection): Promise<CollectionDiff[]> {
  const db = databaseOf(connection);
  const diffs: CollectionDiff[] = [];
  for (const wanted of wantedCollections(connection)) {
    const { existing, validator } = await readCollection(db, wanted.collection);
    const diff = diffIndexes(wanted.indexes, existing);
    const isValidatorStale = !isDeepStrictEqual(validator ?? {}, wanted.validator ?? {});
    if (diff.missing.length > 0 || diff.redundant.length > 0 || isValidatorStale) {
      diffs.push({ collection: wanted.collection, declaredCount: wanted.indexes.length, ...diff, isValidatorStale });
    }
  }
  return diffs;
}

/** What the registered models declare for one collection, and it lacks. */
export async function listMissingIndexes(connection: Connection, collection: string): Promise<IndexShape[]> {
  const wanted = wantedCollections(connection).find((other) => other.collection === collection);
  const { existing } = await readCollection(databaseOf(connection), collection);
  return diffIndexes(wanted?.indexes ?? [], existing).missing;
}

/**
 * Creates collections, validators and indexes that the models declare and the database lacks. Idempotent; several processes may run it
 * at the same time. Building costs the server a scan of the collection.
 */
export async function ensureIndexes(connection: Connection, options: EnsureOptions = {}): Promise<void> {
  const { dropUndeclared = false, onProgress = () => {} } = options;
  const db = databaseOf(connection);
  for (const { collection, indexes, validator } of wantedCollections(connection)) {
    await applyValidator(db, collection, validator);
    const { existing } = await readCollection(db, collection);
    const { missing, redundant } = diffIndexes(indexes, existing);
    for (const { name, kind, reason } of redundant) {
      if (!dropUndeclared || kind === 'prefix') continue;
      onProgress(`${collection}: dropping ${name} (${reason})`);
      await db.collection(collection).dropIndex(name);
    }
    if (missing.length === 0) continue;
    onProgress(`${collection}: creating ${missing.map(({ key }) => JSON.stringify(key)).join(', ')}`);
    // One command: the server builds them all in a single scan.
    await db
      .collection(collection)
      .createIndexes(missing.map((index) => ({ ...index, key: index.key as Record<string, 1> })));
  }
}

async function applyValidator(db: Db, collection: string, validator: Document | undefined): Promise<void> {
  const found = await readCollection(db, collection);
  if (!found.exists) {
    await db.createCollection(collection, validator ? { validator } : {}).catch(async (error: unknown) => {
      // Another process was quicker.
      if (!(await readCollection(db, collection)).exists) throw error;
    });
  } else if (!isDeepStrictEqual(found.validator ?? {}, validator ?? {})) {
    await db.command({
      collMod: collection,
      validator: validator ?? {},
      validationLevel: 'strict',
      validationAction: 'error',
    });
  }
}

async function readCollection(
  db: Db,
  name: string,
): Promise<{ exists: boolean; existing: ExistingIndex[]; validator?: Document }> {
  const [info] = await db.listCollections({ name }, { nameOnly: false }).toArray();
  if (!info) return { exists: false, existing: [] };
  const existing = (await db.collection(name).listIndexes().toArray()) as ExistingIndex[];
  return { exists: true, existing, validator: info.options?.validator as Document | undefined };
}

/** Several models may read one collection; what any of them declares is wanted there. */
function wantedCollections(connection: Connection): Wanted[] {
  const byName = new Map<string, Wanted>();
  for (const model of Object.values(connection.models) as Model<unknown>[]) {
    const collection = model.collection.collectionName;
    const wanted = byName.get(collection) ?? { collection, indexes: [], validator: undefined };
    for (const [key, { background: _background, ...options }] of model.schema.indexes())
      wanted.indexes.push({ ...(options as Partial<IndexShape>), key });
    wanted.validator ??= readValidator(model.schema);
    byName.set(collection, wanted);
  }
  return [...byName.values()];
}

function databaseOf(connection: Connection): Db {
  if (!connection.db) throw new Error('the connection is not open');
  return connection.db;
}
