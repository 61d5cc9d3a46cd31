import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { findMongodBinary } from '../../src/platform/embedded-mongod/mongod-binary.js';
import { readProcessInfo } from '../../src/platform/processes/process-info.js';
import { TRANSACTION_LIFETIME_SECONDS } from './busy-machine.js';
import { findComponent } from './optional.js';
import { RedisServer } from './redis.js';

interface TestServer {
  stop(): Promise<void>;
}

const PREFIX = 'opencanvas-test-';
const ABANDONED_AFTER_MS = 60_000;

const onProgress = (line: string) => void process.stderr.write(`${line}\n`);

const started: TestServer[] = [];

/** Starts ONE real mongod for the whole run, and a Redis if the run needs one. */
export async function startServers(): Promise<void> {
  const mongod = await startMongod();
  if (mongod) started.push(mongod);
  if (process.env.TEST_REDIS === 'true') started.push(await startRedis());
}

/** Stops the servers and removes their data. */
export async function stopServers(): Promise<void> {
  for (const server of started.splice(0).reverse()) await server.stop();
}

async function startRedis(): Promise<TestServer> {
  const binary = findComponent('redis-server');
  if (binary === undefined) throw new Error('--redis needs redis-server: apt-get install redis-server');
  const redis = new RedisServer(binary);
  await redis.start();
  process.env.TEST_REDIS_URL = redis.url;
  return { stop: () => redis.remove() };
}

/** Stores data in memory if the machine has /dev/shm. TEST_MONGODB_URI selects another mongod. */
async function startMongod(): Promise<TestServer | undefined> {
  if (process.env.TEST_MONGODB_URI) return undefined;
  const { path: binary, version } = await findMongodBinary({ binary: process.env.MONGOD_BINARY, onProgress });
  const hasMemoryDisk = await stat('/dev/shm').then(
    () => true,
    () => false,
  );
  const parent = hasMemoryDisk ? '/dev/shm' : tmpdir();
  await removeAbandoned(parent);
  const dataDir = await mkdtemp(join(parent, PREFIX));
  // Fail points let a spec make the server drop a connection or a response.
  const parameters = { enableTestCommands: '1', transactionLifetimeLimitSeconds: TRANSACTION_LIFETIME_SECONDS };
  const mongod = await EmbeddedMongod.start({ binary, dataDir, cacheSizeGB: 0.5, parameters });
  process.env.TEST_MONGODB_URI = mongod.uri;
  // Specs that start more servers need not search again.
  process.env.TEST_MONGOD_BINARY = binary;
  onProgress(`mongod ${version} for this run: port ${mongod.port}`);
  return {
    async stop() {
      await mongod.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Removes data directories, perhaps in memory, that a killed run has left without a mongod. */
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
