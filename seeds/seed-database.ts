import type { Db } from 'mongodb';
import { type DatabaseState, readDatabaseState } from '../src/cli/database-state.js';
import { createDataset } from './dataset.js';
import type { DatasetDocument } from './documents/document-types.js';
import { dropCollections } from '../src/platform/mongo/drop-collections.js';
import { type LoadOptions, loadDataset, markLoading } from './load.js';
import type { SeedRequest } from './profiles.js';

export interface SeedOptions extends Pick<LoadOptions, 'ensureIndexes' | 'onProgress' | 'signal'> {
  db: Db;
  request: SeedRequest;
  /** Called only when the database is not empty. Returning true drops everything in it. */
  confirmDrop: (state: DatabaseState) => Promise<boolean>;
}

/** Fills a database with a dataset. Returns null, and changes nothing, when `confirmDrop` refused to drop a non-empty database. */
export async function seedDatabase(options: SeedOptions): Promise<DatasetDocument | null> {
  const { db, request, confirmDrop, ...rest } = options;
  const state = await readDatabaseState(db);
  if (state.kind !== 'empty' && !(await confirmDrop(state))) return null;
  const dataset = createDataset(request);
  // Drops an empty database too: a server may have made the indexes already, and loading into indexes takes twice the time.
  // The mark comes first, so that a server refuses a database that is dropped in part.
  await markLoading(db, dataset);
  await dropCollections(db, 'dataset');
  return loadDataset({ db, dataset, ...rest });
}
