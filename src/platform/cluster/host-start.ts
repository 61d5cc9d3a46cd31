import { StartupError } from '../../common/errors.js';
import type { AppConfig } from '../../config/app-config.js';
import { misspelledVariables } from '../../config/misspelled-variables.js';
import { loadConfigWith, sharedEnvironment } from '../../config/shared-environment.js';
import type { EmbeddedMongod } from '../embedded-mongod/embedded-mongod.js';
import { tryPort } from '../processes/try-port.js';
import { logError } from './process-log.js';

/** The prerequisites of the first process of a host. */
export type Host = {
  config: AppConfig;
  /** environment variables with decisions of this process, for the other processes of the host */
  environment: Record<string, string>;
  mongod: EmbeddedMongod | undefined;
};

/** Chooses the port. Starts the embedded MongoDB if MONGODB_URI is not set. @throws StartupError */
export async function startHost(config: AppConfig, log: (line: string) => void): Promise<Host> {
  for (const sentence of misspelledVariables()) logError(sentence, 'warn');
  const { requireDirectory } = await import('../embedded-mongod/data-directory.js');
  await requireDirectory(config.mongo.dataDir);
  const { host, port: wantedPort, isPortExplicit } = config.http;
  const port = await choosePort(host, wantedPort, isPortExplicit);
  if (port !== wantedPort && wantedPort !== 0) log(`Port ${wantedPort} is taken, using ${port}`);
  const mongod =
    config.mongo.uri === undefined ? await startMongod(config, log) : await checkDatabase(config.mongo.uri, config);
  if (config.redis.url !== undefined)
    await (await import('../redis/redis-connection.js')).checkRedis(config.redis.url, log);
  const environment = sharedEnvironment(config, { uri: mongod?.uri ?? config.mongo.uri!, port });
  return { config: loadConfigWith(environment), environment, mongod };
}

/** Runs in the primary, so that the operator sees one message instead of one stack trace per worker. */
async function checkDatabase(uri: string, config: AppConfig): Promise<undefined> {
  const { checkDeployment } = await import('../mongo/deployment-check.js');
  const { database: dbName, serverSelectionTimeoutMs } = config.mongo;
  await checkDeployment({ uri, dbName, serverSelectionTimeoutMs });
}

async function startMongod(config: AppConfig, log: (line: string) => void): Promise<EmbeddedMongod> {
  // Loaded only without MONGODB_URI.
  const { startEmbeddedMongod } = await import('../embedded-mongod/embedded-mongod.js');
  const mongod = await startEmbeddedMongod(config, {
    onProgress: log,
    onTrouble: (line) => log(`Embedded MongoDB: ${line}`),
  });
  if (mongod.isShared) {
    throw new StartupError(
      `The data in ${config.mongo.dataDir} is in use by another process of this project (pid ${mongod.ownerPid}); stop that one or set DATA_DIR.`,
    );
  }
  log(`Embedded MongoDB is up (pid ${mongod.mongodPid}), its data is in ${config.mongo.dataDir}`);
  return mongod;
}

const ATTEMPTS = 20;

/** Returns the port that the workers share. Fails if a configured port is in use; replaces the default port by the next free one. */
async function choosePort(host: string, port: number, isExplicit: boolean): Promise<number> {
  for (let candidate = port; candidate < port + ATTEMPTS && candidate <= 65_535; candidate++) {
    const outcome = await tryPort(host, candidate);
    if (typeof outcome === 'number') return outcome;
    if (outcome === 'EADDRINUSE' && !isExplicit) continue;
    throw new StartupError(explain(outcome, host, candidate));
  }
  throw new StartupError(
    `Ports ${port} to ${port + ATTEMPTS - 1} of ${host} are all taken; name a free one with HTTP_PORT.`,
  );
}

function explain(code: string, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} (HTTP_PORT) is taken by another program; stop that one or choose another port.`;
    case 'EACCES':
      return `Port ${port} (HTTP_PORT) needs more rights than this account has; choose one from 1024 up.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HTTP_HOST is ${host}, which is not an address of this machine.`;
    default:
      return `Port ${port} of ${host} cannot be opened (${code}).`;
  }
}
