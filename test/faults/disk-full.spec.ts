import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { signUp } from '../support/accounts.js';
import { type Answer, createClient, type TestClient } from '../support/client.js';
import { embeddedUri } from '../support/embedded-uri.js';
import { testMongodBinary } from '../support/mongo.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { runCli } from './suite/server-under-test.js';

const DISK_MB = 700;
/** Free space that the test fills. */
const LEFT_MB = 40;

/** Mounts a disk that the test can fill. Without the right to mount, the running mongod gets a file size limit. */
function makeDisk(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a full disk', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-disk-'));
  const spare = join(directory, 'spare');
  let isMounted = false;
  let host: SpawnedHost;
  let client: TestClient;

  beforeAll(async () => {
    isMounted = makeDisk(directory);
    host = new SpawnedHost('dist/bundle/main.js', {
      ...{
        DATA_DIR: join(directory, 'data'),
        MONGOD_BINARY: testMongodBinary(),
        MONGOD_CACHE_GB: '0.25',
        LOG_LEVEL: 'log',
        HTTP_WORKERS: '1',
      },
      ...{
        AUTH_ARGON2_MEMORY_KIB: '8192',
        AUTH_ARGON2_ITERATIONS: '1',
        RATE_LIMIT_ENABLED: 'false',
        NEWCOMER_DAYS: '0',
        JOBS_ENABLED: 'false',
      },
      ...{ CACHE_FEED_TTL_MS: '500', CACHE_STALE_MS: '500' },
    });
    expect(await runCli(host, ['migrate', 'up'])).toMatchObject({ code: 0 });
    host.start();
    client = createClient(await host.url());
    const { bavail, bsize } = statfsSync(directory);
    if (isMounted) writeFileSync(spare, Buffer.alloc(bavail * bsize - LEFT_MB * 2 ** 20));
  });
  afterAll(async () => {
    await host?.remove();
    // On a busy machine the last process may still be exiting.
    if (isMounted) await until(() => spawnSync('umount', [directory]).status === 0 || null);
    rmSync(directory, { recursive: true, force: true });
  });

  const mongodPid = (): number => Number(readFileSync(join(directory, 'data/mongo/db/mongod.lock'), 'utf8'));

  /** Fills the disk, or the space that this mongod may use, until mongod exits. */
  async function fill(): Promise<void> {
    if (!isMounted) execFileSync('prlimit', ['--pid', String(mongodPid()), '--fsize=65536']);
    const mongo = new MongoClient(embeddedUri(join(directory, 'data')), { serverSelectionTimeoutMS: 500 });
    const junk = Array.from({ length: 4 }, () => ({ bytes: randomBytes(2 ** 20) }));
    try {
      for (;;)
        await mongo
          .db('junk')
          .collection('junk')
          .insertMany(junk.map((one) => ({ ...one })));
    } catch {
      // mongod has exited.
    } finally {
      await mongo.close();
    }
  }

  it('stops mongod without losing a write, and the server writes again when space is free', async () => {
    const author = await signUp(client);
    const kept: string[] = [];
    const answers = new Set<string>();
    const write = async (): Promise<number> => {
      const body = { title: `Kept ${kept.length}`, content: randomBytes(3_000).toString('hex'), type: 'article' };
      const { status, body: post, headers } = await client.post('/v1/posts', { token: author.token, body });
      answers.add(`${status} ${status === 201 ? '' : `${post.code} ${headers.get('retry-after') !== null}`}`);
      if (status === 201) kept.push(post.id);
      return status;
    };
    await write();
    // Uses a second account, because a write makes the server compute the feed and the author's own posts again.
    const reader = await signUp(client);
    const body = { title: 'Read by all', content: 'It stays as it is.', type: 'article' };
    const hot = `/v1/posts/${(await client.post('/v1/posts', { token: reader.token, body })).body.id}`;
    expect((await client.get(hot)).status).toBe(200);
    const first = mongodPid();
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        await write();
        await sleep(20);
      }
    })();
    await fill();
    const reason = isMounted ? `no space left on ${join(directory, 'data/mongo')}` : '';
    await host.untilOutput(new RegExp(`Embedded MongoDB: ended \\(.*${reason}\\), restarting it`));
    const responses: Answer[] = [];
    for (let look = 0; look < 10; look++) {
      responses.push(await client.get(hot), await client.get('/health/live'));
      await sleep(200);
    }
    const freedAt = performance.now();
    if (isMounted) rmSync(spare);
    await until(async () => ((await write()) === 201 ? true : null));
    console.log(
      `${isMounted ? 'disk' : 'file size'}: writes again ${(performance.now() - freedAt).toFixed(0)} ms after there was space`,
    );
    isOver = true;
    await writing;
    expect(mongodPid()).not.toBe(first);
    for (const answer of answers)
      expect(['201 ', '503 database_unavailable true', '503 overloaded true']).toContain(answer);
    expect(responses.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    const statuses = await Promise.all(kept.map(async (id) => (await client.get(`/v1/posts/${id}`)).status));
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});
