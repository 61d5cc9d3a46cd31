import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { signUp, type TestAccount } from '../support/accounts.js';
import { makeApiToken } from '../support/api-tokens.js';
import { startApp } from '../support/app.js';
import { patient } from '../support/repeated-requests.js';
import { runCommand } from '../support/cli.js';
import { createClient, type TestClient } from '../support/client.js';
import { embeddedUri } from '../support/embedded-uri.js';
import { testMongodBinary } from '../support/mongo.js';
import { SpawnedHost } from '../support/spawned-host.js';

const SETTINGS = {
  MONGODB_DATABASE: 'kept',
  MONGOD_BINARY: testMongodBinary(),
  MONGOD_CACHE_GB: '0.25',
  AUTH_ARGON2_MEMORY_KIB: '8192',
  AUTH_ARGON2_ITERATIONS: '1',
  RATE_LIMIT_ENABLED: 'false',
  NEWCOMER_DAYS: '0',
  HTTP_WORKERS: '1',
};

/** The part of the data directory that operators copy, as docs/operations.md describes. */
const KEPT = ['mongo/db', 'auth-token-secret'];

describe('a copy of the embedded database, made as docs/operations.md describes', () => {
  const host = new SpawnedHost('dist/bundle/main.js', SETTINGS);
  const elsewhere = new SpawnedHost('dist/bundle/main.js', SETTINGS);
  const locked = mkdtempSync(join(tmpdir(), 'opencanvas-backup-'));
  let client: TestClient;
  let author: TestAccount;
  /** Posts whose vote was acknowledged. */
  const voted: string[] = [];

  beforeAll(async () => {
    host.start();
    // Retries, because a write may wait too long for the lock of the database or for a slow disk.
    client = patient(createClient(await host.url()));
    author = await signUp(client);
  });
  afterAll(async () => {
    await Promise.all([host.remove(), elsewhere.remove()]);
    rmSync(locked, { recursive: true, force: true });
  });

  async function publishAndVote(): Promise<void> {
    const body = { title: 'Kept', content: 'It is kept.', type: 'article' };
    const { id } = (await client.post<{ id: string }>('/v1/posts', { token: author.token, body })).body;
    const vote = { token: author.token, body: { value: 'like' } };
    if ((await client.put(`/v1/posts/${id}/vote`, vote)).status === 200) voted.push(id);
  }

  function copyTo(directory: string): void {
    for (const part of KEPT) cpSync(join(host.dataDir, part), join(directory, part), { recursive: true });
  }

  /** Returns the votes acknowledged before the lock. Writes continue before, during and after the copy. */
  async function copyBetweenLockAndUnlock(): Promise<string[]> {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await publishAndVote();
    })();
    const mongo = new MongoClient(embeddedUri(host.dataDir));
    try {
      while (voted.length < 20) await sleep(20);
      const before = [...voted];
      await mongo.db('admin').command({ fsync: 1, lock: true });
      copyTo(locked);
      await mongo.db('admin').command({ fsyncUnlock: 1 });
      const atUnlock = voted.length;
      while (voted.length < atUnlock + 5) await sleep(20);
      return before;
    } finally {
      isOver = true;
      await mongo.close();
      await writing;
    }
  }

  it('between lock and unlock contains every write acknowledged before', async () => {
    const before = await copyBetweenLockAndUnlock();

    const binary = testMongodBinary();
    const mongod = await EmbeddedMongod.start({ binary, dataDir: join(locked, 'mongo'), cacheSizeGB: 0.25 });
    try {
      const database = { MONGODB_URI: mongod.uri, MONGODB_DATABASE: SETTINGS.MONGODB_DATABASE };
      expect(await runCommand(['migrate', 'up'], database)).toMatchObject({ status: 0 });
      expect((await runCommand(['counters', 'audit'], database)).text).toMatch(/^0 differences among [1-9]/m);
      const restored = await startApp({ direct: 'one server reads the copy', env: database });
      for (const id of before) {
        const { status, body } = await restored.client.get(`/v1/posts/${id}`);
        expect([status, body.stats.likesCount]).toEqual([200, 1]);
      }
      await restored.close();
    } finally {
      await mongod.stop();
    }
  });

  it('of a stopped server is the whole database, sign-ins included', async () => {
    host.signal('SIGTERM');
    expect(await host.exit()).toBe(0);
    copyTo(elsewhere.dataDir);
    elsewhere.start();
    const restored = createClient(await elsewhere.url());

    for (const id of voted) expect((await restored.get(`/v1/posts/${id}`)).status).toBe(200);
    const refresh = { body: { refreshToken: author.refreshToken } };
    expect((await restored.post('/v1/auth/refresh', refresh)).status).toBe(200);
  });

  it('accepts no earlier session and no API token after `sessions end-all`', async () => {
    const restored = createClient(await elsewhere.url());
    const later = await signUp(restored);
    const program = await makeApiToken({ client: restored }, later, ['profile']);

    const settings = { ...SETTINGS, MONGODB_URI: '', DATA_DIR: elsewhere.dataDir };
    const { status, text } = await runCommand(['sessions', 'end-all'], settings);

    expect([status, text]).toEqual([0, expect.stringMatching(/^[3-9] refresh tokens and 1 API tokens revoked\.$/m)]);
    for (const { refreshToken } of [author, later])
      expect((await restored.post('/v1/auth/refresh', { body: { refreshToken } })).status).toBe(401);
    // The server has not seen this token before.
    expect((await restored.get('/v1/auth/me', { token: program.token })).status).toBe(401);
    const signIn = { body: { login: author.username, password: author.password } };
    expect((await restored.post('/v1/auth/login', signIn)).status).toBe(200);
  });
});
