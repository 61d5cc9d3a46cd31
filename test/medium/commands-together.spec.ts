import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { removeHostRecord, writeHostRecord } from '../../src/platform/cluster/host-record.js';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { testEnvironment } from '../support/app.js';
import { testMongodBinary } from '../support/mongo.js';
import { ensureBuilt, ROOT } from '../support/spawned-host.js';

/** This process is the one that has started the mongod. */
describe('a command on an embedded database that another process has started', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-together-'));
  let mongod: EmbeddedMongod;
  beforeAll(async () => {
    ensureBuilt();
    const binary = testMongodBinary();
    mongod = await EmbeddedMongod.start({ binary, dataDir: join(dataDir, 'mongo'), cacheSizeGB: 0.25 });
  }, 300_000);
  afterAll(async () => {
    await mongod?.stop();
    rmSync(dataDir, { recursive: true });
  });

  function run(): { status: number | null; text: string } {
    const settings = { DATA_DIR: dataDir, MONGODB_URI: '', MONGOD_BINARY: testMongodBinary() };
    const env = { ...process.env, ...testEnvironment(settings), NODE_ENV: 'development', LOG_LEVEL: 'error' };
    const args = [join(ROOT, 'dist/src/cli.js'), 'outbox', 'status'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8', timeout: 60_000 });
    return { status, text: stdout + stderr };
  }

  it('is refused while that is another command, which would stop it in the middle', async () => {
    expect(run()).toEqual({
      status: 1,
      text: `The data in ${dataDir} is in use by another command, or by a server that is still starting; wait for it.\n`,
    });
    const client = new MongoClient(mongod.uri);
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
  }, 120_000);

  it('works while that is a server', () => {
    const { pid } = process;
    writeHostRecord(dataDir, { pid, host: '127.0.0.1', port: 3000, startedAt: new Date().toISOString() });
    expect(run()).toEqual({ status: 0, text: 'Nothing waits.\n' });
    removeHostRecord(dataDir, pid);
  }, 120_000);
});
