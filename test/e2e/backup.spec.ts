import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { runCli } from '../faults/suite/server-under-test.js';
import { signUp, type TestAccount } from '../support/accounts.js';
import { makeApiToken } from '../support/api-tokens.js';
import { patient } from '../support/asked-again.js';
import { createClient, type TestClient } from '../support/client.js';
import { embeddedUri } from '../support/embedded-uri.js';
import { testMongodBinary } from '../support/mongo.js';
import { ensureBuilt, SpawnedHost } from '../support/spawned-host.js';

const SETTINGS = {
  MONGOD_BINARY: testMongodBinary(),
  MONGOD_CACHE_GB: '0.25',
  AUTH_ARGON2_MEMORY_KIB: '8192',
  AUTH_ARGON2_ITERATIONS: '1',
  RATE_LIMIT_ENABLED: 'false',
  HTTP_WORKERS: '1',
};

/** What docs/operations.md says to keep, and nothing else of the data directory. */
const KEPT = ['mongo/db', 'auth-token-secret'];

describe('A backup of the embedded database, as docs/operations.md has it made', () => {
  const host = new SpawnedHost('dist/src/main.js', SETTINGS);
  const elsewhere = new SpawnedHost('dist/src/main.js', SETTINGS);
  const backup = mkdtempSync(join(tmpdir(), 'opencanvas-backup-'));
  let client: TestClient;
  let author: TestAccount;
  let post: string;
  /** posts whose vote was acknowledged */
  const voted: string[] = [];

  beforeAll(async () => {
    ensureBuilt();
    host.start();
    // a write may wait for a lock of the database, and a slow disk, for too long
    client = patient(createClient(await host.url()));
    author = await signUp(client);
    post = await publish(0);
  }, 300_000);
  afterAll(async () => {
    await Promise.all([host.remove(), elsewhere.remove()]);
    rmSync(backup, { recursive: true, force: true });
  });

  async function publish(at: number): Promise<string> {
    const body = { title: `Kept ${at}`, content: 'It is kept.', type: 'article' };
    const answer = await client.post<{ id: string }>('/v1/posts', { token: author.token, body });
    expect(answer.status).toBe(201);
    return answer.body.id;
  }

  function copy(): void {
    rmSync(backup, { recursive: true, force: true });
    for (const part of KEPT) cpSync(join(host.dataDir, part), join(backup, part), { recursive: true });
  }

  /** The copy on another data directory, its counters compared with its rows; it serves then. */
  async function restore(): Promise<TestClient> {
    rmSync(join(elsewhere.dataDir, 'mongo'), { recursive: true, force: true });
    mkdirSync(elsewhere.dataDir, { recursive: true });
    execFileSync('cp', ['-a', `${backup}/.`, elsewhere.dataDir]);
    expect(await runCli(elsewhere, ['indexes', 'create'])).toMatchObject({ code: 0 });
    const audit = await runCli(elsewhere, ['counters', 'audit']);
    expect(audit.output).toMatch(/^0 differences among [1-9]/m);
    elsewhere.start();
    return createClient(await elsewhere.url());
  }

  async function stop(server: SpawnedHost): Promise<void> {
    server.signal('SIGTERM');
    expect(await server.exit()).toBe(0);
  }

  it('of a running server holds, between lock and unlock, every write acknowledged before, while writes go on', async () => {
    let isOver = false;
    const writing = (async () => {
      for (let at = 1; !isOver; at++) {
        const id = await publish(at);
        const options = { token: author.token, body: { value: 'like' } };
        if ((await client.put(`/v1/posts/${id}/vote`, options)).status === 200) voted.push(id);
      }
    })();
    const mongo = new MongoClient(embeddedUri(host.dataDir));
    let before: string[] = [];
    try {
      while (voted.length < 20) await sleep(20);
      before = [...voted];
      await mongo.db('admin').command({ fsync: 1, lock: true });
      copy();
      await mongo.db('admin').command({ fsyncUnlock: 1 });
      const atUnlock = voted.length;
      while (voted.length < atUnlock + 5) await sleep(20);
    } finally {
      isOver = true;
      await mongo.close();
      await writing;
    }
    const restored = await restore();
    for (const id of before) {
      const { status, body } = await restored.get(`/v1/posts/${id}`);
      expect([status, body.stats.likesCount]).toEqual([200, 1]);
    }
    await stop(elsewhere);
  }, 300_000);

  it('of a stopped server is the whole database, and signs nobody and no program in that was signed in then, once `sessions end-all` was run', async () => {
    await stop(host);
    copy();
    const restored = await restore();
    for (const id of [post, ...voted]) expect((await restored.get(`/v1/posts/${id}`)).status).toBe(200);
    const refresh = { body: { refreshToken: author.refreshToken } };
    // the restored row is as good as it was
    expect((await restored.post('/v1/auth/refresh', refresh)).status).toBe(200);
    const later = await signUp(restored);
    const program = await makeApiToken({ client: restored }, later, ['profile']);
    const { code, output } = await runCli(elsewhere, ['sessions', 'end-all']);
    expect([code, output]).toEqual([0, expect.stringMatching(/^[3-9] refresh tokens and 1 API tokens ended\.$/m)]);
    for (const { refreshToken } of [author, later])
      expect((await restored.post('/v1/auth/refresh', { body: { refreshToken } })).status).toBe(401);
    // the server has not seen it before
    expect((await restored.get('/v1/auth/me', { token: program.token })).status).toBe(401);
    const signIn = { body: { login: author.username, password: author.password } };
    expect((await restored.post('/v1/auth/login', signIn)).status).toBe(200);
    await stop(elsewhere);
  }, 300_000);
});
