import './resolve-js-as-ts.cjs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { findMongodBinary } from '../../src/platform/embedded-mongod/mongod-binary.js';
import { readProcessInfo } from '../../src/platform/processes/process-info.js';

export interface TestServer {
  stop(): Promise<void>;
}

/** Jest loads the setup and the teardown apart from each other; the process is what they share. */
export const TEST_SERVER = Symbol.for('opencanvas-api.test-server');

const PREFIX = 'opencanvas-test-';
const ABANDONED_AFTER_MS = 60_000;

const onProgress = (line: string) => void process.stderr.write(`${line}\n`);

/** Starts ONE real mongod for the whole run, in memory where the machine has /dev/shm; TEST_MONGODB_URI names another to use. */
export default async function globalSetup(): Promise<void> {
  if (process.env.TEST_MONGODB_URI) return;
  const { path: binary, version } = await findMongodBinary({ binary: process.env.MONGOD_BINARY, onProgress });
  const hasMemoryDisk = await stat('/dev/shm').then(
    () => true,
    () => false,
  );
  const parent = hasMemoryDisk ? '/dev/shm' : tmpdir();
  await removeAbandoned(parent);
  const dataDir = await mkdtemp(join(parent, PREFIX));
  // fail points: a spec can make the server drop a connection or an answer
  const parameters = { enableTestCommands: '1' };
  const mongod = await EmbeddedMongod.start({ binary, dataDir, cacheSizeGB: 0.5, parameters, onProgress });
  process.env.TEST_MONGODB_URI = mongod.uri;
  // Specs that start servers of their own do not search again.
  process.env.TEST_MONGOD_BINARY = binary;
  onProgress(`mongod ${version} for this run: port ${mongod.port}`);
  const server: TestServer = {
    async stop() {
      await mongod.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  (globalThis as Record<symbol, unknown>)[TEST_SERVER] = server;
}

/** A run that was killed leaves its data, perhaps in memory, but no mongod: what nobody serves any more goes. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    const made = await stat(path).catch(() => null);
    if (!made || Date.now() - made.birthtimeMs < ABANDONED_AFTER_MS) continue;
    const lockedBy = Number(await readFile(join(path, 'db', 'mongod.lock'), 'utf8').catch(() => ''));
    if (lockedBy === 0 || !(await readProcessInfo(lockedBy))) await rm(path, { recursive: true, force: true });
  }
}
