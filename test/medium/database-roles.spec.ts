import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { seedDatabase } from '../../seeds/seed-database.js';
import { EngagementJob } from '../../src/ranking/engagement.job.js';
import { restoreBackup } from '../../src/platform/backup/restore-backup.js';
import { SnapshotWindow } from '../../src/platform/backup/snapshot-window.js';
import { writeBackup } from '../../src/platform/backup/write-backup.js';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { checkDeployment } from '../../src/platform/mongo/deployment-check.js';
import { signUp } from '../support/accounts.js';
import { startApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { testMongodBinary } from '../support/mongo.js';

const PASSWORD = 'of-the-test';
const DATABASE = 'press';
const { signal } = new AbortController();

/** Tests the roles that docs/operations.md names, on a mongod with authentication. */
describe('MongoDB users with the documented roles', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-roles-'));
  let mongod: EmbeddedMongod;

  beforeAll(async () => {
    mongod = await EmbeddedMongod.start({ binary: testMongodBinary(), dataDir: directory, cacheSizeGB: 0.25 });
    const root = await new MongoClient(mongod.uri).connect();
    const readWrite = { role: 'readWrite', db: DATABASE };
    const roles = { server: [readWrite], backup: [readWrite, 'hostManager'], reader: [{ role: 'read', db: DATABASE }] };
    for (const [createUser, granted] of Object.entries(roles)) {
      await root.db('admin').command({ createUser, pwd: PASSWORD, roles: granted });
    }
    await root.close();
  });
  afterAll(async () => {
    await mongod.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const uriOf = (user: string): string =>
    Object.assign(new URL(mongod.uri), { username: user, password: PASSWORD }).href;
  const check = (user: string) =>
    checkDeployment({ uri: uriOf(user), dbName: DATABASE, serverSelectionTimeoutMs: 30_000 });
  const noticesOfBackup = async (user: string): Promise<string[]> => {
    const notices: string[] = [];
    const window = await SnapshotWindow.open(uriOf(user), (line) => notices.push(line));
    expect(await window.close()).toBe(true);
    return notices;
  };

  it('serve, rank, seed, back up and restore with readWrite', async () => {
    await check('server');
    const app = await startApp({
      env: { MONGODB_URI: uriOf('server'), MONGODB_DATABASE: DATABASE },
      role: 'all',
    });
    const client = await new MongoClient(uriOf('server')).connect();
    const db = client.db(DATABASE);
    try {
      const { token } = await signUp(app.client);
      const body = { title: 'Notes', content: 'Written with few rights.', type: 'article' };
      const { body: post } = await app.client.post<{ id: string }>('/v1/posts', { token, body });
      expect((await app.client.put(`/v1/posts/${post.id}/vote`, { token, body: { value: 'like' } })).status).toBe(200);
      const tomorrow = new Date(Date.now() + 86_400_000);
      expect(await app.app.get(EngagementJob).run({ now: tomorrow })).toMatchObject({ written: 1 });
      await app.close();
      const file = join(directory, 'press.backup');
      await writeBackup({ db, to: file, signal, onProgress: () => {} });
      const request = { profile: 'tiny', seed: 1, now: new Date('2025-06-01T12:00:00Z') } as const;
      const ensureIndexes = async () => {};
      expect(await seedDatabase({ db, request, ensureIndexes, confirmDrop: async () => true })).not.toBeNull();
      await restoreBackup({ db, file, signal, ensureIndexes, onProgress: () => {} });
      expect(await db.collection('posts').countDocuments()).toBe(1);
      expect(await differences(db)).toEqual([]);
    } finally {
      await client.close();
    }
  });

  it('warn of a backup without hostManager, and not with it', async () => {
    expect(await noticesOfBackup('server')).toEqual([expect.stringMatching(/Grant the user hostManager on admin\.$/)]);
    expect(await noticesOfBackup('backup')).toEqual([]);
  });

  it('refuse to start with the read role alone, and name the missing one', async () => {
    await expect(check('reader')).rejects.toThrow(
      /^The MongoDB user reader lacks rights on the database press \(createCollection, .*update\): grant readWrite on it\.$/,
    );
  });
});
