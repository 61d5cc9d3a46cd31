import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import type { ScoreEpochRow } from '../../src/posts/ranking/score-epoch.js';
import type { LeaseDocument } from '../../src/platform/mongo/lease.service.js';
import { testMongodBinary } from '../support/mongo.js';
import { wronglyRanked } from '../support/ranks.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { Mongods } from './suite/mongods.js';

const DATABASE = 'pause';
const SECRET = 'x'.repeat(40);
/** so many that a run builds the indexes of its slot anew */
const POSTS = 12_000;
/** longer than a lease, the look of the next host and its run take */
const IN_FLIGHT_MS = 45_000;

/** The holder of the score lease stands still for longer than the lease, another process takes over, then it continues. */
describe('a score run that stood still for longer than its lease', () => {
  let mongods: Mongods;
  let client: MongoClient;
  let db: Db;
  const hosts: SpawnedHost[] = [];
  let children: ChildProcess[] = [];

  beforeAll(async () => {
    mongods = await Mongods.start(testMongodBinary(), 1, { enableTestCommands: '1' });
    client = await new MongoClient(mongods.uri).connect();
    db = client.db(DATABASE);
    for (let at = 0; at < 2; at++) await startHost({ JOBS_ENABLED: 'true' });
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
    await failPoint('off');
  });
  afterAll(async () => {
    for (const host of hosts) await host.remove();
    await client?.close();
    await mongods?.remove();
  });

  const environment = () => ({ MONGODB_URI: mongods.uri, MONGODB_DATABASE: DATABASE, AUTH_TOKEN_SECRET: SECRET });
  async function startHost(overrides: Record<string, string>): Promise<SpawnedHost> {
    const limits = { HTTP_WORKERS: '2', RATE_LIMIT_ENABLED: 'false', ENGAGEMENT_INTERVAL_MINUTES: '1' };
    const settings = { ...environment(), ...limits, ...overrides };
    const host = new SpawnedHost('dist/bundle/main.js', settings);
    hosts.push(host);
    host.start();
    await host.url();
    return host;
  }
  const posts = () => db.collection('posts');
  const epoch = () => db.collection<ScoreEpochRow>('score_epochs').findOne({});
  const indexNames = async () => (await posts().listIndexes().toArray()).map(({ name }) => name as string).sort();

  function failPoint(mode: unknown, data: object = {}) {
    const namespace = `${DATABASE}.posts`;
    const blocked = { appName: 'opencanvas-api', namespace, blockConnection: true, failCommands: [], ...data };
    return mongods.members[0]!.command({ configureFailPoint: 'failCommand', mode, data: blocked });
  }

  async function insertPosts(): Promise<void> {
    await posts().deleteMany({});
    const createdAt = new Date(Date.now() - 50 * 86_400_000);
    const counts = { readsCount: 3, likesCount: 2, dislikesCount: 1, sharesCount: 0, commentsCount: 0 };
    const rows = Array.from({ length: POSTS }, (_, index) => ({
      ...{ _id: new ObjectId(), title: 'A post', slug: 'a-post', type: 'poem', tags: ['a'], authorId: new ObjectId() },
      ...{ contentPreview: '', readTime: 1, thumbnailUrl: null, isPublic: true, isEdited: false },
      authorSnapshot: { username: 'ada', fullName: 'Ada', profilePicture: null },
      ...{ isListed: true, version: 1, stats: { viewsCount: index, ...counts }, deletedAt: null },
      rank: { hotA: 1, hotB: 1, topA: 1, topB: 1, winA: 0, winB: 0, due: new Date(0) },
      ...{ createdAt, contentEditedAt: createdAt, updatedAt: createdAt },
    }));
    await posts().insertMany(rows);
    // a run is due at once
    await db.collection('score_epochs').deleteMany({});
  }

  /** `cli rank run`, as on a host of its own. */
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

  /** Pages that are in no cache: 200, and in the order of the slot that is shown. */
  async function expectRightFeed(host: SpawnedHost): Promise<void> {
    const { slot } = (await epoch())!;
    const url = await host.url();
    const order = { [`rank.hot${slot}`]: -1, _id: -1 } as const;
    const ids = (await posts().find({ isListed: true }).sort(order).limit(100).toArray()).map(({ _id }) => String(_id));
    for (const limit of [100, 60, 99, 37]) {
      const response = await fetch(`${url}/v1/feed?limit=${limit}`, { headers: { 'cache-control': 'no-cache' } });
      const body = (await response.json()) as { data?: { id: string }[] };
      expect(response.status).toBe(200);
      expect(body.data!.map(({ id }) => id)).toEqual(ids.slice(0, limit));
    }
  }

  it('drops no index of a slot that is shown when its host was paused before the drop', async () => {
    const all = await indexNames();
    // the commands around the note take their time, so that the pause falls between them
    await insertPosts();
    await failPoint('alwaysOn', { failCommands: ['listIndexes'], blockTimeMS: 1_500 });
    const holder = await until(
      async () => {
        if (((await epoch())?.filling?.indexes ?? null) === null) return null;
        const lease = await db.collection<LeaseDocument>('leases').findOne({ _id: 'score' });
        const pid = Number(lease!.holder.split(':').at(-2));
        return hosts.find((host) => host.workers('jobs').includes(pid));
      },
      () => 'no run began to drop indexes',
    );
    holder.signalGroup('SIGSTOP');
    await failPoint('off');
    expect(await indexNames()).toEqual(all);
    const other = hosts.find((host) => host !== holder)!;
    const shown = await until(
      async () => {
        const row = await epoch();
        return row!.epoch === 2 && row!.filling === null ? row : null;
      },
      () => 'the other host did not take over',
    );
    expect(await wronglyRanked(db, shown.slot, shown.scoredAt)).toEqual([]);
    await expectRightFeed(other);

    // the job first: nothing on its host ends it before it continues
    for (const pid of holder.workers('jobs')) process.kill(pid, 'SIGCONT');
    await sleep(3_000);
    holder.signalGroup('SIGCONT');
    expect(await indexNames()).toEqual(all);
    await expectRightFeed(other);
    await until(() => expectRightFeed(holder).then(() => true));
  });

  it('changes no rank that is shown: its batches were under way all the time', async () => {
    for (const host of hosts.splice(0)) await host.remove();
    const reader = await startHost({ JOBS_ENABLED: 'false' });
    await db.collection('leases').updateMany({}, { $set: { expiresAt: new Date(0) } });
    await insertPosts();
    const { count } = (await failPoint({ times: 2 }, { failCommands: ['update'], blockTimeMS: IN_FLIGHT_MS })) as {
      count: number;
    };
    const startedAt = performance.now();
    const first = runRank();
    await mongods.members[0]!.command({
      ...{ waitForFailPoint: 'failCommand', timesEntered: Number(count) + 2, maxTimeMS: 30_000 },
    });
    first.child.kill('SIGSTOP');
    // votes continue, so the next holder computes other ranks
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
    expect(await first.ended).toContain('The lease score is lost');
    expect(await wronglyRanked(db, shown.slot, shown.scoredAt)).toEqual([]);
    await expectRightFeed(reader);
  });
});
