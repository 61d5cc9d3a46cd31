import mongoose, { Schema } from 'mongoose';
import { declareValidator, neverNegative } from '../../src/platform/mongo/collection-validator.js';
import { diffCollections, ensureIndexes } from '../../src/platform/mongo/indexes/indexes.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useApp } from '../support/app.js';
import { useDatabase } from '../support/mongo.js';

function articleSchema(): Schema {
  const schema = new Schema(
    { authorId: Number, slug: String, stats: { likesCount: Number }, seenAt: Date },
    { autoIndex: false, autoCreate: false },
  );
  schema.index({ authorId: 1, _id: -1 }, { partialFilterExpression: { isListed: true } });
  schema.index({ slug: 1 }, { unique: true });
  schema.index({ seenAt: 1 }, { expireAfterSeconds: 60 });
  declareValidator(schema, neverNegative('stats.likesCount'));
  return schema;
}

describe('indexes', () => {
  const database = useDatabase();
  let connection: mongoose.Connection;

  beforeAll(async () => {
    connection = await mongoose.createConnection(database.uri, { dbName: database.dbName }).asPromise();
    connection.model('Article', articleSchema(), 'articles');
    // This read model of the same collection declares nothing. The indexes and the validator of the other model stay.
    connection.model('Headline', new Schema({ slug: String }, { autoIndex: false, autoCreate: false }), 'articles');
  });
  afterAll(() => connection.close());

  it('are all missing in an empty database, and none after ensuring them, any number of times', async () => {
    expect((await diffCollections(connection))[0]).toMatchObject({
      collection: 'articles',
      redundant: [],
      isValidatorStale: true,
    });
    expect((await diffCollections(connection))[0]?.missing).toHaveLength(3);
    await Promise.all([ensureIndexes(connection), ensureIndexes(connection)]);
    await ensureIndexes(connection, { dropUndeclared: true });
    expect(await diffCollections(connection)).toEqual([]);
    expect(await database.db.collection('articles').indexes()).toHaveLength(4);
  });

  it('contain that of the chunks of files, also of files that a restore has written', async () => {
    const chunks = database.db.collection('pictures.chunks');
    await chunks.insertMany([0, 1].map((n) => ({ files_id: 'a', n })));
    await ensureIndexes(connection);
    expect((await chunks.indexes()).map(({ key, unique }) => [key, unique])).toContainEqual([
      { files_id: 1, n: 1 },
      true,
    ]);
  });

  it('let the server itself refuse a negative counter', async () => {
    const articles = database.db.collection('articles');
    await articles.insertOne({ slug: 'a', stats: { likesCount: 0 } });
    await expect(articles.updateOne({ slug: 'a' }, { $inc: { 'stats.likesCount': -1 } })).rejects.toThrow(/validation/);
    await articles.updateOne({ slug: 'a' }, { $inc: { 'stats.likesCount': 1 } });
  });

  it('are listed when undeclared, changed or covered by another; undeclared and changed ones are dropped on demand', async () => {
    const articles = database.db.collection('articles');
    await articles.createIndex({ legacy: 1 });
    await articles.dropIndex('seenAt_1');
    await articles.createIndex({ seenAt: 1 }, { expireAfterSeconds: 999 });
    connection.models.Article!.schema.index({ 'stats.likesCount': 1 });
    connection.models.Article!.schema.index({ 'stats.likesCount': 1, _id: 1 });
    await ensureIndexes(connection).catch(() => {});

    const [diff] = await diffCollections(connection);
    expect(diff?.missing).toContainEqual({ key: { seenAt: 1 }, expireAfterSeconds: 60 });
    const kinds = Object.fromEntries(diff!.redundant.map(({ name, kind }) => [name, kind]));
    expect(kinds).toMatchObject({ legacy_1: 'undeclared', seenAt_1: 'changed' });

    const lines: string[] = [];
    await ensureIndexes(connection, { dropUndeclared: true, onProgress: (line) => lines.push(line) });
    expect(lines.join('\n')).toContain('dropping legacy_1 (no schema declares it)');
    const [left] = await diffCollections(connection);
    expect(left).toMatchObject({ missing: [], isValidatorStale: false });
    expect(left?.redundant).toMatchObject([{ name: 'stats.likesCount_1', kind: 'prefix' }]);
  });
});

describe('indexes of the application', () => {
  const app = useApp();

  it('are all declared: a new database has no redundant index, and none that would be dropped', async () => {
    const { connection } = app.app.get(MongoService);
    expect(await diffCollections(connection)).toEqual([]);
    const dropped: string[] = [];
    await ensureIndexes(connection, { dropUndeclared: true, onProgress: (line) => dropped.push(line) });
    expect(dropped).toEqual([]);
  });
});
