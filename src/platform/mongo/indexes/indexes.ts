import { isDeepStrictEqual } from 'node:util';
import { type Db, type Document, MongoServerError } from 'mongodb';
import type { Connection, Model } from 'mongoose';
import { StartupError } from '../../../common/errors.js';
import { readValidator } from '../collection-validator.js';
import { diffIndexes, type ExistingIndex, type IndexDiff, type IndexShape } from './index-diff.js';

const UNAUTHORIZED = 13;

export interface CollectionDiff extends IndexDiff {
  collection: string;
  exists: boolean;
  /** number of indexes that the schema declares */
  declaredCount: number;
  /** Whether the collection lacks the declared validator, or has a different one. */
  isValidatorStale: boolean;
}

export interface EnsureOptions {
  /** Also drops indexes that no schema declares or whose options changed. Indexes that are prefixes of others are only reported. */
  dropUndeclared?: boolean;
  /** Limits the command to these collections; default: all. */
  only?: ReadonlySet<string>;
  /** Creates these collections without their indexes. */
  except?: ReadonlySet<string>;
  onProgress?: (line: string) => void;
}

interface DeclaredCollection {
  collection: string;
  indexes: IndexShape[];
  validator: Document | undefined;
}

/** Returns the pending changes of `ensureIndexes`, per collection of the registered models. Omits collections without changes. */
export async function diffCollections(connection: Connection): Promise<CollectionDiff[]> {
  const db = databaseOf(connection);
  const validators = await readValidators(db);
  const diffs: CollectionDiff[] = [];
  for (const declared of declaredCollections(connection)) {
    const validator = validators.get(declared.collection);
    const diff = diffIndexes(declared.indexes, await readIndexes(db, declared.collection));
    const isValidatorStale = !isDeepStrictEqual(validator ?? {}, declared.validator ?? {});
    if (diff.missing.length > 0 || diff.redundant.length > 0 || isValidatorStale) {
      diffs.push({
        collection: declared.collection,
        exists: validator !== undefined,
        declaredCount: declared.indexes.length,
        ...diff,
        isValidatorStale,
      });
    }
  }
  return diffs;
}

/**
 * Creates declared collections, validators and indexes that the database lacks; each build scans its collection. Idempotent and safe to run
 * concurrently.
 */
export async function ensureIndexes(connection: Connection, options: EnsureOptions = {}): Promise<void> {
  const { dropUndeclared = false, only, except, onProgress = () => {} } = options;
  const db = databaseOf(connection);
  const validators = await readValidators(db);
  for (const { collection, indexes, validator } of declaredCollections(connection)) {
    const found = validators.get(collection);
    if (found && only?.has(collection) === false) continue;
    if (!found) await createCollection(db, collection, validator);
    else if (!isDeepStrictEqual(found, validator ?? {})) await replaceValidator(db, collection, validator);
    const { missing, redundant } = diffIndexes(indexes, found ? await readIndexes(db, collection) : []);
    for (const { name, kind, reason } of redundant) {
      if (!dropUndeclared || kind === 'prefix') continue;
      onProgress(`${collection}: dropping ${name} (${reason})`);
      await db.collection(collection).dropIndex(name);
    }
    if (missing.length === 0 || except?.has(collection) === true) continue;
    onProgress(`${collection}: creating ${missing.map(({ key }) => JSON.stringify(key)).join(', ')}`);
    // A single command lets the server build all indexes in one scan.
    await db
      .collection(collection)
      .createIndexes(missing.map((index) => ({ ...index, key: index.key as Record<string, 1> })));
  }
  if (only !== undefined) return;
  // GridFS creates this index with the first file of a bucket, but not for files that a restore or a seed has written.
  for (const bucket of [...validators.keys()].filter((name) => name.endsWith('.chunks')))
    await db.collection(bucket).createIndex({ files_id: 1, n: 1 }, { unique: true });
}

async function createCollection(db: Db, collection: string, validator: Document | undefined): Promise<void> {
  await db.createCollection(collection, validator ? { validator } : {}).catch(async (error: unknown) => {
    // Another process created the collection first.
    if (!(await readValidators(db)).has(collection)) throw error;
  });
}

async function replaceValidator(db: Db, collection: string, validator: Document | undefined): Promise<void> {
  const strictly = { validationLevel: 'strict', validationAction: 'error' };
  try {
    await db.command({ collMod: collection, validator: validator ?? {}, ...strictly });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== UNAUTHORIZED) throw error;
    const reason = `The MongoDB user may not change the validator of ${collection}`;
    throw new StartupError(`${reason}: run \`cli migrate up\` as a user with readWrite and dbAdmin.`, error);
  }
}

/** Returns the validator of each collection; `{}` if there is none. */
async function readValidators(db: Db): Promise<Map<string, Document>> {
  const collections = await db.listCollections({}, { nameOnly: false }).toArray();
  return new Map(collections.map(({ name, options }) => [name, (options?.validator as Document | undefined) ?? {}]));
}

/** Returns an empty list if the collection does not exist. */
async function readIndexes(db: Db, collection: string): Promise<ExistingIndex[]> {
  const isMissing = (error: unknown) => error instanceof MongoServerError && error.codeName === 'NamespaceNotFound';
  const found = await db
    .collection(collection)
    .listIndexes()
    .toArray()
    .catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
  return found as ExistingIndex[];
}

/** Merges the indexes of models that share a collection. */
export function declaredCollections(connection: Connection): DeclaredCollection[] {
  const byName = new Map<string, DeclaredCollection>();
  for (const model of Object.values(connection.models) as Model<unknown>[]) {
    const collection = model.collection.collectionName;
    const declared = byName.get(collection) ?? { collection, indexes: [], validator: undefined };
    for (const [key, { background: _background, ...options }] of model.schema.indexes())
      declared.indexes.push({ ...(options as Partial<IndexShape>), key });
    declared.validator ??= readValidator(model.schema);
    byName.set(collection, declared);
  }
  return [...byName.values()];
}

function databaseOf(connection: Connection): Db {
  if (!connection.db) throw new Error('the connection is not open');
  return connection.db;
}
