import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { createDataset } from '../../seeds/dataset.js';
import { loadDataset } from '../../seeds/load.js';
import type { ProfileName } from '../../seeds/profiles.js';
import type { TestApp } from './app.js';

const SEED = 7;
/** The current hour, which is the same for nearly all spec files of a run. */
const NOW = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
const BUILD_TIMEOUT_MS = 200_000;
const DUPLICATE_KEY = 11000;

/** Copies the dataset of a profile into the database of an app. */
export async function fillWithDataset({ db }: Pick<TestApp, 'db'>, profile: ProfileName): Promise<void> {
  const template = await templateOf(db, profile);
  const { counts } = createDataset({ profile, seed: SEED, now: NOW });
  // $out preserves the indexes and the validator of the replaced collection.
  for (const name of [...Object.keys(counts), 'dataset']) {
    await template
      .collection(name)
      .aggregate([{ $out: { db: db.databaseName, coll: name } }])
      .toArray();
  }
}

/** Returns a database with the dataset of a profile, built on the first use in the run. */
async function templateOf(db: Db, profile: ProfileName): Promise<Db> {
  const template = db.client.db(`test_seeded_${profile}_${NOW.getTime()}`);
  try {
    await template.collection<{ _id: string }>('builders').insertOne({ _id: 'first' });
  } catch (error) {
    // `instanceof` fails here, because a bundle has its own error classes.
    if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
    await untilComplete(template);
    return template;
  }
  const dataset = createDataset({ profile, seed: SEED, now: NOW });
  await loadDataset({ db: template, dataset, ensureIndexes: async () => undefined });
  return template;
}

async function untilComplete(template: Db): Promise<void> {
  const deadline = Date.now() + BUILD_TIMEOUT_MS;
  while (!(await template.collection('dataset').findOne({ state: 'complete' }))) {
    if (Date.now() > deadline)
      throw new Error(`${template.databaseName} was begun by another spec and never completed`);
    await sleep(50);
  }
}
