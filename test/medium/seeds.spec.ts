import { type Db, MongoClient, type ObjectId } from 'mongodb';
import { readDatabaseState } from '../../src/cli/database-state.js';
import { createDataset } from '../../seeds/dataset.js';
import type { DatasetCollections } from '../../seeds/documents/document-types.js';
import { loadDataset, type LoadProgress, SeedInterrupted } from '../../seeds/load.js';
import type { SeedRequest } from '../../seeds/profiles.js';
import { seedDatabase } from '../../seeds/seed-database.js';
import { seedCommand } from '../../seeds/seed.command.js';
import { useDatabase } from '../support/mongo.js';

const REQUEST: SeedRequest = { profile: 'tiny', seed: 1, now: new Date('2025-06-01T12:00:00Z') };
const never = async () => false;
const always = async () => true;
const ensureIndexes = async (db: Db) => {
  await db.collection('users').createIndex({ username: 1 }, { unique: true });
};

describe('seeding a real MongoDB', () => {
  const { db, uri, dbName } = useDatabase();
  beforeEach(() => db.dropDatabase());

  it('stores exactly the announced rows, indexed and marked as complete', async () => {
    const steps: LoadProgress[] = [];
    const loaded = await seedDatabase({
      db,
      request: REQUEST,
      ensureIndexes,
      confirmDrop: never,
      onProgress: (step) => steps.push(step),
    });
    for (const [name, count] of Object.entries(createDataset(REQUEST).counts)) {
      expect([name, await db.collection(name).countDocuments()]).toEqual([name, count]);
    }
    expect(await db.collection('users').indexExists('username_1')).toBe(true);
    expect(await readDatabaseState(db)).toMatchObject({ kind: 'complete', dataset: loaded });
    expect(steps.at(-1)).toMatchObject({ phase: 'done', share: 1, written: steps[0]!.total });
    expect(steps.every((step, i) => i === 0 || step.share >= steps[i - 1]!.share)).toBe(true);
  });

  it('leaves every counter of the stored documents equal to the rows', async () => {
    await loadDataset({ db, dataset: createDataset(REQUEST), ensureIndexes });
    const likes = await db
      .collection('interactions')
      .aggregate<{ _id: ObjectId; n: number }>([
        { $match: { kind: 'vote', targetModel: 'Post', value: 'like' } },
        { $group: { _id: '$targetId', n: { $sum: 1 } } },
      ])
      .toArray();
    const byPost = new Map(likes.map(({ _id, n }) => [_id.toHexString(), n]));
    const posts = await db.collection<DatasetCollections['posts']>('posts').find().toArray();
    for (const post of posts) expect(post.stats.likesCount).toBe(byPost.get(post._id.toHexString()) ?? 0);
    expect(likes.length).toBeGreaterThan(20);
  });

  it('asks for confirmation before it drops anything, and changes nothing when refused', async () => {
    await db.collection<{ _id: string }>('treasure').insertOne({ _id: 'mine' });
    const ask: string[] = [];
    const confirmDrop = async ({ kind }: { kind: string }) => ask.push(kind) < 0;
    expect(await seedDatabase({ db, request: REQUEST, ensureIndexes, confirmDrop })).toBeNull();
    expect(ask).toEqual(['foreign']);
    expect(await db.collection('treasure').countDocuments()).toBe(1);
    expect(await db.collection('users').countDocuments()).toBe(0);

    await seedDatabase({ db, request: REQUEST, ensureIndexes, confirmDrop: always });
    expect(await db.collection('treasure').countDocuments()).toBe(0);
    expect(await db.collection('users').countDocuments()).toBe(200);
  });

  it('treats a database as empty that a server has only started on', async () => {
    await db.collection<{ _id: string }>('leases').insertOne({ _id: 'jobs' });
    await db.collection('users').createIndex({ username: 1 }, { unique: true });
    expect((await readDatabaseState(db)).kind).toBe('empty');
  });

  it('reports its progress when interrupted, and is recognized as incomplete until seeded again', async () => {
    const stop = new AbortController();
    const load = loadDataset({
      db,
      dataset: createDataset({ ...REQUEST, profile: 'small' }),
      ensureIndexes,
      signal: stop.signal,
      onProgress: ({ written }) => written > 5_000 && stop.abort(new Error('it was interrupted (SIGINT)')),
    });
    const error = await load.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SeedInterrupted);
    expect((error as Error).message).toMatch(
      /stopped while writing \w+ .* of \d{5} documents: .*SIGINT.*run the command again to start over\.$/,
    );
    expect(await readDatabaseState(db)).toMatchObject({ kind: 'loading', isUsed: false });
    await db.collection('sessions').insertOne({});
    expect(await readDatabaseState(db)).toMatchObject({ kind: 'loading', isUsed: true });
    await seedDatabase({ db, request: REQUEST, ensureIndexes, confirmDrop: always });
    expect((await readDatabaseState(db)).kind).toBe('complete');
  });

  it('has a command that refuses invalid requests and needs --yes without a terminal', async () => {
    Object.defineProperty(process.stdin, 'isTTY', { value: false, configurable: true });
    const run = async (...words: string[]) => {
      const target = { db, ensureIndexes: () => ensureIndexes(db) };
      const command = seedCommand((work) => work(target, new AbortController().signal))
        .exitOverride()
        .configureOutput({ writeErr: () => {} });
      await command.parseAsync(words, { from: 'user' });
    };
    await expect(run('--profile', 'huge')).rejects.toThrow('Allowed choices');
    await expect(run('--seed', '-1')).rejects.toThrow('whole number');
    await expect(run('--now', 'yesterday')).rejects.toThrow('2025-06-01T12:00:00Z');
    await expect(run('--posts', '2')).rejects.toThrow('2 posts');
    expect(await db.collection('users').countDocuments()).toBe(0);

    await run('--profile', 'tiny', '--now', '2025-06-01T12:00:00Z');
    expect(await db.collection('users').countDocuments()).toBe(200);
    await db.collection('users').deleteMany({});
    await run('--profile', 'tiny');
    expect(process.exitCode).toBe(1);
    process.exitCode = undefined;
    expect(await db.collection('users').countDocuments()).toBe(0);
    await run('--profile', 'tiny', '--yes');
    expect(await db.collection('users').countDocuments()).toBe(200);
  });

  // The last one, because mongod may still insert what the closed client had sent.
  it('ends with a message when the database becomes unavailable', async () => {
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000 });
    const load = loadDataset({
      db: client.db(dbName),
      dataset: createDataset({ ...REQUEST, profile: 'small' }),
      ensureIndexes,
      onProgress: ({ written }) => void (written > 3_000 && client.close(true)),
    });
    await expect(load).rejects.toThrow(/Seeding stopped while writing/);
  });
});
