import { join } from 'node:path';
import { type AppConfig } from '../../config/app-config.js';
import { EmbeddedMongod } from './embedded-mongod.js';
import type { EmbeddedMongodOptions } from './keeper-client.js';
import { findMongodBinary } from './mongod-binary.js';

/** The embedded server as the configuration wants it, data under `<DATA_DIR>/mongo`; call it only where `config.mongo.uri` is unset. */
export async function startEmbeddedMongod(
  config: Pick<AppConfig, 'mongo'>,
  hooks: Pick<EmbeddedMongodOptions, 'onProgress' | 'onTrouble'> = {},
): Promise<EmbeddedMongod> {
  const { path: binary } = await findMongodBinary({ binary: config.mongo.binary, onProgress: hooks.onProgress });
  return EmbeddedMongod.start({
    binary,
    dataDir: join(config.mongo.dataDir, 'mongo'),
    cacheSizeGB: config.mongo.cacheGb,
    ...hooks,
  });
}
