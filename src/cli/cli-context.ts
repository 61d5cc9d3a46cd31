import type { INestApplicationContext, LogLevel } from '@nestjs/common';
import type { Connection } from 'mongoose';
import { type AppConfig, loadConfig } from '../config/app-config.js';
import { loadConfigWith } from '../config/shared-environment.js';
import { tokenSecretVariables } from '../config/token-secrets.js';
import { startEmbeddedMongod } from '../platform/embedded-mongod/embedded-mongod.js';
import { MongoService } from '../platform/mongo/mongo.service.js';

/** What a command works with: the services of the application, without its HTTP side and without its timetable. */
export type CliContext = {
  app: INestApplicationContext;
  config: AppConfig;
  /** knows every registered model */
  connection: Connection;
  close: () => Promise<void>;
};

/** The longest the configuration allows: a command may ask for an index build or a scan of everything. */
const SOCKET_TIMEOUT_MS = 600_000;

/**
 * Connects to the configured database, the embedded one included: that of a running server is shared, else it runs until `close`.
 * @throws StartupError
 */
async function openCliContext(): Promise<CliContext> {
  const database = await openDatabase();
  try {
    const services = await openServices(database.config);
    return { ...services, config: database.config, close: () => services.close().finally(() => database.close()) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The configured database without anything that works on it; its URI is in the configuration. */
export async function openDatabase(): Promise<Pick<CliContext, 'config' | 'close'>> {
  const configured = loadConfig();
  const mongod =
    configured.mongo.uri === undefined
      ? await startEmbeddedMongod(configured, { onProgress: (line) => console.error(line) })
      : undefined;
  const config = loadConfigWith({
    MONGODB_URI: mongod?.uri ?? configured.mongo.uri!,
    MONGODB_SOCKET_TIMEOUT_MS: String(SOCKET_TIMEOUT_MS),
    ...tokenSecretVariables(configured.auth.tokenSecrets),
  });
  return { config, close: async () => mongod?.stop() };
}

/** The services over a database that is open already. Only now are they loaded: they take 130 MB. */
export async function openServices(
  config: AppConfig,
  logger: LogLevel[] = ['error', 'warn'],
): Promise<Omit<CliContext, 'config'>> {
  const [{ NestFactory }, { AppModule }] = await Promise.all([import('@nestjs/core'), import('../app.module.js')]);
  const app = await NestFactory.createApplicationContext(AppModule.with(config, 'web'), {
    abortOnError: false,
    logger,
  });
  return { app, connection: app.get(MongoService).connection, close: () => app.close() };
}

/** Aborts on Ctrl-C and the like; a second one ends the process at once. */
export function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort(new Error(`stopped by ${signal}`));
      process.exitCode = 130;
    });
  }
  return stop.signal;
}

/** `stop` aborts on Ctrl-C and the like. */
export async function withCliContext<T>(work: (context: CliContext, stop: AbortSignal) => Promise<T>): Promise<T> {
  const stop = stopOnSignals();
  const context = await openCliContext();
  try {
    return await work(context, stop);
  } finally {
    await context.close();
  }
}

/** The usual form: `work` gets the services to ask for by class. */
export function withServices<T>(
  work: (app: INestApplicationContext, config: AppConfig, stop: AbortSignal) => Promise<T>,
): Promise<T> {
  return withCliContext(({ app, config }, stop) => work(app, config, stop));
}
