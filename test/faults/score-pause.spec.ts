import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import type { StoredScoreEpoch } from '../../src/ranking/ranking.schema.js';
import { testMongodBinary } from '../support/mongo.js';
import { wronglyRanked } from '../support/ranks.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { Mongods } from './suite/mongods.js';

const DATABASE = 'pause';
const SECRET = 'x'.repeat(40);
const POSTS = 12_000;
/** Longer than the lease and the run of the next process. */
const IN_FLIGHT_MS = 90_000;

/** Stops the holder of the score lease for longer than the lease. Another process acquires the lease, then the first resumes. */
describe('a score run that was stopped for longer than its lease', () => {
  let mongods: Mongods;
  let client: MongoClient;
  let db: Db;
  let reader: SpawnedHost;
  let children: ChildProcess[] = [];

  beforeAll(async () => {
    mongods = await Mongods.start(testMongodBinary(), 1, { enableTestCommands: '1' });
    client = await new MongoClient(mongods.uri).connect();
    db = client.db(DATABASE);
    const limits = { HTTP_WORKERS: '1', RATE_LIMIT_ENABLED: 'false', JOBS_ENABLED: 'false' };
    reader = new SpawnedHost('dist/bundle/main.js', { ...environment(), ...limits });
    reader.start();
    await reader.url();
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
    await failPoint('off');
  });
  afterAll(async () => {
    await reader?.remove();
    await client?.close();
    await mongods?.remove();
  });

  const environment = () => ({ MONGODB_URI: mongods.uri, MONGODB_DATABASE: DATABASE, AUTH_TOKEN_SECRET: SECRET });
  const posts = () => db.collection('posts');
  const epoch = () => db.collection<StoredScoreEpoch>('score_epochs').findOne({});

  function failPoint(mode: unknown, data: object = {}) {
    const namespace = `${DATABASE}.posts`;
    const blocked = { appName: 'opencanvas-api', namespace, blockConnection: true, failCommands: [], ...data };
    return mongods.members[0]!.command({ configureFailPoint: 'failCommand', mode, data: blocked });
  }

  async function insertPosts(): Promise<void> {
    const createdAt = new Date(Date.now() - 50 * 86_400_000);
    const counts = { readsCount: 3, likesCount: 2, dislikesCount: 1, sharesCount: 0, commentsCount: 0 };
    const rows = Array.from({ length: POSTS }, (_, index) => ({
      ...{ _id: new ObjectId(), title: 'A post', slug: 'a-post', type: 'poem', tags: ['a'], authorId: new ObjectId() },
      ...{ contentPreview: '', readTime: 1, thumbnailUrl: null, isPublic: true, isEdited: false },
      authorSnapshot: { username: 'ada', fullName: 'Ada', profilePicture: null },
      ...{ isListed: true, version: 1, stats: { viewsCount: index, ...counts }, deletedAt: null },
      visitors: { reads: 0, shares: 0, likes: 0, dislikes: 0 },
      rank: { hotA: 1, hotB: 1, topA: 1, topB: 1, winA: 0, winB: 0 },
      ...{ createdAt, contentEditedAt: createdAt, updatedAt: createdAt },
    }));
    await posts().insertMany(rows);
  }

  /** Runs `cli rank run`, like another host. */
  function runRank() {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/bundle/cli.js'), 'rank', 'run'], {
      env: { ...process.env, ...environment() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const text = { output: '' };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text.output += String(chunk)));
    const ended = new Promise<string>((resolve) => child.once('close', () => resolve(text.output)));
    return { child, ended };
  }

  /** Requests uncached pages, which must be 200 and in the order of the current slot. */
  async function expectRightFeed(): Promise<void> {
    const { slot } = (await epoch())!;
    const url = await reader.url();
    const order = { [`rank.hot${slot}`]: -1, _id: -1 } as const;
    const ids = (await posts().find({ isListed: true }).sort(order).limit(100).toArray()).map(({ _id }) => String(_id));
    for (const limit of [100, 60, 99, 37]) {
      const response = await fetch(`${url}/v1/feed?limit=${limit}`, { headers: { 'cache-control': 'no-cache' } });
      const body = (await response.json()) as { data?: { id: string }[] };
      expect(response.status).toBe(200);
      expect(body.data!.map(({ id }) => id)).toEqual(ids.slice(0, limit));
    }
  }

  it('changes no visible rank, although its batch was in flight', async () => {
    await insertPosts();
    const { count } = await failPoint({ times: 1 }, { failCommands: ['update'], blockTimeMS: IN_FLIGHT_MS });
    const startedAt = performance.now();
    const first = runRank();
    await mongods.members[0]!.command({
      ...{ waitForFailPoint: 'failCommand', timesEntered: Number(count) + 1, maxTimeMS: 30_000 },
    });
    first.child.kill('SIGSTOP');
    // Votes continue, so the next holder computes different ranks.
    await posts().updateMany({}, { $inc: { 'stats.likesCount': 50 } });
    await until(
      async () => ((await runRank().ended).includes('Epoch 2') ? true : null),
      () => 'nobody took over',
    );
    const shown = (await epoch())!;
    expect(await wronglyRanked(db, shown.slot, shown.scoredAt)).toEqual([]);

    await sleep(Math.max(0, startedAt + IN_FLIGHT_MS + 5_000 - performance.now()));
    expect(await wronglyRanked(db, shown.slot, shown.scoredAt)).toEqual([]);
    first.child.kill('SIGCONT');
    // The server has refused the batch of the first process.
    expect(await first.ended).not.toContain('posts moved in');
    expect(await wronglyRanked(db, shown.slot, shown.scoredAt)).toEqual([]);
    await expectRightFeed();
  });
});
