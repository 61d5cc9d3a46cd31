import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { AppConfig } from '../../src/config/app-config.js';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { findMongodBinary } from '../../src/platform/embedded-mongod/mongod-binary.js';
import type { ProcessRegistry } from './process-registry.js';

export type BenchMongod = { uri: string; pid: number; version: string; client: MongoClient };

/** Starts the benchmark's own mongod. Its data stays between runs, and its cache size is the same on every machine. */
export async function startBenchMongod(
  config: AppConfig,
  directory: string,
  registry: ProcessRegistry,
  onProgress: (line: string) => void,
): Promise<BenchMongod> {
  const dataDir = join(directory, 'mongodb');
  await mkdir(dataDir, { recursive: true });
  onProgress('starting mongod');
  const { path } = await findMongodBinary({ binary: config.mongo.binary, onProgress });
  const mongod = await EmbeddedMongod.start({
    binary: path,
    dataDir,
    cacheSizeGB: Math.max(2, config.mongo.cacheGb),
  });
  const client = new MongoClient(mongod.uri);
  registry.add({
    name: 'mongod',
    pid: mongod.mongodPid ?? null,
    stop: async () => {
      await client.close();
      await mongod.stop();
    },
  });
  await client.connect();
  // Reads from the server itself, which may be a shared mongod of another benchmark.
  const status = await client.db('admin').command({ serverStatus: 1 });
  return { uri: mongod.uri, pid: Number(status.pid), version: String(status.version), client };
}
