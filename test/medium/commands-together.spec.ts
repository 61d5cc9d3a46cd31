import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { deleteHostRecord, writeHostRecord } from '../../src/platform/cluster/host-record.js';
import { readProcessInfo } from '../../src/platform/processes/process-info.js';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { runCommand } from '../support/cli.js';
import { testMongodBinary } from '../support/mongo.js';

/** This process starts the mongod. */
describe('a command on an embedded database that another process has started', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-together-'));
  const settings = { DATA_DIR: dataDir, MONGODB_URI: '', MONGOD_BINARY: testMongodBinary() };
  let mongod: EmbeddedMongod;
  beforeAll(async () => {
    const binary = testMongodBinary();
    mongod = await EmbeddedMongod.start({ binary, dataDir: join(dataDir, 'mongo'), cacheSizeGB: 0.25 });
  });
  afterAll(async () => {
    await mongod?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('is refused while the other process is a command', async () => {
    expect(await runCommand(['tasks', 'status'], settings)).toEqual({
      status: 1,
      text: `The data in ${dataDir} is in use by another command, or by a server that is still starting; wait for it.\n`,
    });

    const client = new MongoClient(mongod.uri);
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
  });

  it('runs while the other process is a server', async () => {
    const { pid } = process;
    const processStartTime = (await readProcessInfo(pid))!.startTime;
    const startedAt = new Date().toISOString();
    writeHostRecord(dataDir, { pid, processStartTime, host: '127.0.0.1', port: 3000, startedAt });

    expect(await runCommand(['tasks', 'status'], settings)).toEqual({ status: 0, text: 'No pending tasks.\n' });
    deleteHostRecord(dataDir, pid);
  });
});
