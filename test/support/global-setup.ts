import './resolve-js-as-ts.cjs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedMongod } from '../../src/platform/mongo/embedded-mongod.js';
import { findMongodBinary } from '../../src/platform/mongo/mongod-binary.js';

export interface TestServer {
  stop(): Promise<void>;
}

/** Jest loads the setup and the teardown apart from each other; the process is what they share. */
export const TEST_SERVER = Symbol.for('opencanvas-api.test-server');

const onProgress = (line: string) => void process.stderr.write(`${line}\n`);

/** Starts ONE real mongod for the whole run, in memory where the machine has /dev/shm; TEST_MONGODB_URI names another to use. */
export default async function globalSetup(): Promise<void> {
  if (process.env.TEST_MONGODB_URI) return;
  const { path: binary, version } = await findMongodBinary({ binary: process.env.MONGOD_BINARY, onProgress });
  const hasMemoryDisk = await stat('/dev/shm').then(
    () => true,
    () => false,
  );
  const dataDir = await mkdtemp(join(hasMemoryDisk ? '/dev/shm' : tmpdir(), 'opencanvas-test-'));
  // fail points: a spec can make the server drop a connection or an answer
  const parameters = { enableTestCommands: '1' };
  const mongod = await EmbeddedMongod.start({ binary, dataDir, cacheSizeGB: 0.5, parameters, onProgress });
  process.env.TEST_MONGODB_URI = mongod.uri;
  // Specs that start servers of their own do not search again.
  process.env.TEST_MONGOD_BINARY = binary;
  onProgress(`mongod ${version} for this run: ${mongod.uri}`);
  const server: TestServer = {
    async stop() {
      await mongod.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  (globalThis as Record<symbol, unknown>)[TEST_SERVER] = server;
}
