import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, Schema } from 'mongoose';
import { createDataset } from '../../seeds/dataset.js';
import { loadDataset } from '../../seeds/load.js';
import { ensureIndexes } from '../../src/platform/mongo/indexes/indexes.js';
import { useDatabase } from '../support/mongo.js';

const SOURCES = join(import.meta.dirname, '../../src');
const dataset = createDataset({ profile: 'tiny', seed: 1, now: new Date('2025-06-01T12:00:00Z') });

/** Fields that only a run of the score job writes. */
const OF_RUNS = new Set(['filling', 'previousUntil']);
/** Fields that only few rows have, in every collection or in one. */
const RARE = new Set([
  'drafts.importedAt',
  'canonicalUrl',
  'hasPost',
  'html',
  'importId',
  'isLimited',
  'isUnlisted',
  'isVisitor',
  'lastBlockId',
  'month',
  'removal',
  'reservedId',
  'settings.notifications',
  'settings.personalised',
  'standing',
  'wasPublic',
]);

/** Returns every schema of the server, by its collection. */
async function serverSchemas(): Promise<Map<string, Schema>> {
  const schemas = new Map<string, Schema>();
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.schema.ts')) continue;
    const exported = Object.values((await import(join(SOURCES, file))) as Record<string, unknown>);
    for (const schema of exported) {
      if (schema instanceof Schema) schemas.set(String(schema.get('collection')), schema);
    }
  }
  return schemas;
}

describe('the documents of a dataset against the schemas of the server', () => {
  const { uri, dbName, db } = useDatabase();

  it('has the same fields, passes the same checks, and matches the indexes and validators of MongoDB', async () => {
    const connection = await createConnection(uri, { dbName, autoCreate: false, autoIndex: false }).asPromise();
    try {
      const schemas = await serverSchemas();
      const seeded = Object.keys(dataset.counts).filter((collection) => schemas.has(collection));
      expect(seeded).toEqual(expect.arrayContaining(['users', 'posts', 'post_bodies']));
      const models = seeded.map((collection) => connection.model(collection, schemas.get(collection), collection));
      // The indexes come before the load, so that MongoDB validates every document.
      await ensureIndexes(connection);
      await loadDataset({ db, dataset, ensureIndexes: async () => {} });

      for (const model of models) {
        const isSeeded = (path: string) =>
          ![path, `${model.modelName}.${path}`].some((name) => RARE.has(name)) &&
          (model.modelName !== 'score_epochs' || !OF_RUNS.has(path));
        const paths = Object.keys(model.schema.paths).filter(isSeeded).sort();
        for (const document of await db.collection(model.modelName).find().toArray()) {
          expect([model.modelName, leaves(document, paths)]).toEqual([model.modelName, paths]);
          await new model(document, null, { strict: 'throw' }).validate();
        }
      }
    } finally {
      await connection.close();
    }
  });
});

/** Returns the dotted names of a document's fields, as deep as the schema defines them. */
function leaves(document: Record<string, unknown>, paths: string[], prefix = ''): string[] {
  return Object.entries(document)
    .flatMap(([name, value]) => {
      const path = prefix + name;
      const isNested = !paths.includes(path) && typeof value === 'object' && value !== null;
      return isNested ? leaves(value as Record<string, unknown>, paths, `${path}.`) : [path];
    })
    .sort();
}
