import type { INestApplicationContext, LogLevel } from '@nestjs/common';
import { StartupError } from '../common/errors.js';
import type { AppConfig } from '../config/app-config.js';
import { loadConfigWith } from '../config/shared-environment.js';
import { embeddedMongodVariable } from '../config/process-variables.js';
import { tokenSecretVariables } from '../config/token-secrets.js';
import { readHostRecords } from '../platform/cluster/host-record.js';
import { onStopSignal } from '../platform/cluster/process-end.js';
import { requireFormat } from '../platform/mongo/format/database-format.js';
import { withClient } from '../platform/mongo/with-client.js';

/** `own format`: refuses data that this program may not serve. */
type Accepted = 'own format' | 'any format';

/** The configured maximum, because a command may build an index or scan everything. */
const SOCKET_TIMEOUT_MS = 600_000;

/** A busy machine does not end a command: it tries a costly text again, and then takes it as plain text. */
const CPU_TASK_TRIES = 3;

/**
 * Runs `work` on the configured database, whose URI is in the configuration. Shares the embedded server of a running host, or runs one
 * until `work` is done. `stop` aborts on Ctrl-C and similar signals.
 * @param settings replace those of the environment
 * @throws StartupError
 */
export async function withDatabase<T>(
  work: (config: AppConfig, stop: AbortSignal) => Promise<T>,
  settings: Record<string, string> = {},
  accepted: Accepted = 'own format',
): Promise<T> {
  const stop = stopOnSignals();
  const configured = loadConfigWith(settings);
  const mongod = configured.mongo.uri === undefined ? await startMongod(configured) : undefined;
  try {
    if (mongod === undefined) await checkDatabase(configured.mongo);
    const config = loadConfigWith({
      MONGODB_URI: mongod?.uri ?? configured.mongo.uri!,
      ...embeddedMongodVariable(mongod !== undefined),
      MONGODB_SOCKET_TIMEOUT_MS: String(SOCKET_TIMEOUT_MS),
      // In production MONGODB_URI requires a secret, which an embedded database has generated.
      ...(mongod && tokenSecretVariables(configured.auth.tokenSecrets)),
      ...settings,
    });
    if (accepted === 'own format') await withClient(config.mongo, requireFormat);
    return await work(config, stop);
  } catch (error) {
    // Node's functions throw an AbortError that contains the reason.
    throw stop.aborted && error instanceof Error && error.name === 'AbortError' ? stop.reason : error;
  } finally {
    await mongod?.stop();
  }
}

/** Like `withDatabase`, with an application from which `work` gets services by class. */
export function withServices<T>(
  work: (app: INestApplicationContext, stop: AbortSignal) => Promise<T>,
  settings?: Record<string, string>,
  accepted?: Accepted,
): Promise<T> {
  return withDatabase(
    async (config, stop) => {
      const app = await openServices(config);
      try {
        return await work(app, stop);
      } finally {
        await app.close();
      }
    },
    settings,
    accepted,
  );
}

/** Opens the services of the application, without HTTP and scheduled jobs. Loads them on demand, because they take 130 MB. */
export async function openServices(
  config: AppConfig,
  levels: LogLevel[] = ['fatal', 'error', 'warn'],
): Promise<INestApplicationContext> {
  const [{ NestFactory }, { AppModule }, { createCommandLogger }, { CpuPool }] = await Promise.all([
    import('@nestjs/core'),
    import('../app.module.js'),
    import('../platform/http/logger.js'),
    import('../platform/cpu-pool/cpu-pool.js'),
  ]);
  const logger = createCommandLogger(config, levels);
  const app = await NestFactory.createApplicationContext(AppModule.with(config, 'web'), {
    abortOnError: false,
    logger,
  });
  app.get(CpuPool).tries = CPU_TASK_TRIES;
  return app;
}

/** Shows progress on one line of a terminal, which the next call overwrites; writes nothing to a file or pipe. */
export function showStatus(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}\x1b[K`);
}

/** Checks the database first, so that the operator reads one line instead of the errors of each module. */
async function checkDatabase({ uri, database, serverSelectionTimeoutMs }: AppConfig['mongo']): Promise<void> {
  const { checkDeployment } = await import('../platform/mongo/deployment-check.js');
  await checkDeployment({ uri: uri!, dbName: database, serverSelectionTimeoutMs });
}

/** Shares the mongod of a server only, because another command would stop its mongod during this one. */
async function startMongod(config: AppConfig) {
  const { startEmbeddedMongod } = await import('../platform/embedded-mongod/embedded-mongod.js');
  const mongod = await startEmbeddedMongod(config, { onProgress: (line) => console.error(line) });
  if (!mongod.isShared) return mongod;
  const { dataDir } = config.mongo;
  if ((await readHostRecords(dataDir)).some(({ pid }) => pid === mongod.ownerPid)) return mongod;
  throw new StartupError(
    `The data in ${dataDir} is in use by another command, or by a server that is still starting; wait for it.`,
  );
}

/** Aborts on the first signal, and exits immediately on the second. */
function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  onStopSignal(
    (signal) => {
      process.exitCode = 130;
      stop.abort(new StartupError(`${signal} stopped the command.`));
    },
    () => process.exit(130),
  );
  return stop.signal;
}
