import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Datasets } from '../../benchmarks/data/datasets.js';
import { cliEnvironment } from '../../benchmarks/harness/cli-environment.js';
import { runCommand } from '../support/cli.js';
import { useDatabase } from '../support/mongo.js';

describe('a dataset of the benchmark', () => {
  const { client, uri } = useDatabase();
  const calls: string[] = [];
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'opencanvas-datasets-'));
  });
  afterAll(async () => {
    await rm(home, { recursive: true });
  });

  /** Opens the dataset as each call of the benchmark does. */
  const open = () => {
    calls.length = 0;
    const run = async (program: 'cli' | 'seed', args: string[], database: string) => {
      calls.push(program);
      const { status } = await runCommand(args, cliEnvironment(uri, database, home), program);
      if (status !== 0) throw new Error(`${args.join(' ')} failed`);
    };
    const options = { client, mongoUri: uri, seed: 3, isFresh: false, onProgress: () => {}, run };
    return new Datasets(options).open('tiny');
  };

  it('is kept for the next run with exactly the declared indexes', async () => {
    const db = client.db('opencanvas_bench_tiny');
    try {
      await open();
      expect(calls).toEqual(['seed', 'cli']);
      const declared = await db.collection('users').indexes();
      await db.collection('users').createIndex({ likesPerPost: -1 }, { name: 'of_another_revision' });
      await db.collection('users').dropIndex('username_1');
      const { counts } = await open();
      expect(calls).toEqual(['cli']);
      expect(counts.users).toBeGreaterThan(0);
      expect(await db.collection('users').countDocuments()).toBe(counts.users);
      const byName = (a: { name?: string }, b: { name?: string }) => a.name!.localeCompare(b.name!);
      expect((await db.collection('users').indexes()).sort(byName)).toEqual(declared.sort(byName));
    } finally {
      await db.dropDatabase();
      await client.db(`${db.databaseName}_casea`).dropDatabase();
    }
  });
});
