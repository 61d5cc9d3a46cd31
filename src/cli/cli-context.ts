import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Connection } from 'mongoose';
import { AppModule } from '../app.module.js';
import { type AppConfig, loadConfig } from '../config/app-config.js';
import { loadConfigWith } from '../config/shared-environment.js';
import { startEmbeddedMongod } from '../platform/mongo/embedded-start.js';
import { MongoService } from '../platform/mongo/mongo.service.js';

/**
 * Runs a command against the configured database, the embedded one included: that of a running server is shared, else it is
 * started for as long as the command takes. `stop` aborts on Ctrl-C; a second one ends the process at once.
 */
export async function withDatabase<T>(work: (config: AppConfig, stop: AbortSignal) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const controller = new AbortController();
  const abort = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error('stopped by a signal'));
    process.exitCode = 130;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, abort);

  if (config.mongo.uri !== undefined) return await work(config, controller.signal);
  const mongod = await startEmbeddedMongod(config, { onProgress: (line) => console.error(line) });
  try {
    const environment = { MONGODB_URI: mongod.uri, AUTH_TOKEN_SECRET: config.auth.tokenSecret };
    return await work(loadConfigWith(environment), controller.signal);
  } finally {
    await mongod.stop();
  }
}

/** The same with the services of the application, without its HTTP side and without its timetable. */
export function withServices<T>(
  work: (app: INestApplicationContext, config: AppConfig, stop: AbortSignal) => Promise<T>,
): Promise<T> {
  return withDatabase(async (config, stop) => {
    const app = await NestFactory.createApplicationContext(AppModule.with(config, 'web'), {
      abortOnError: false,
      logger: ['error', 'warn'],
    });
    try {
      return await work(app, config, stop);
    } finally {
      await app.close();
    }
  });
}

/** The same with the connection that knows every registered model. */
export function withConnection<T>(work: (connection: Connection, stop: AbortSignal) => Promise<T>): Promise<T> {
  return withServices((app, _config, stop) => work(app.get(MongoService).connection, stop));
}
