import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import { StartupError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import type { AppConfig } from '../../config/app-config.js';
import { ConnectionDrain } from './connection-drain.js';
import type { DrainOptions } from './ipc.js';
import { startTracing } from '../tracing/start-tracing.js';
import { HostWriter } from './writer/host-writer.js';
import { type ProcessRole, servesHttp } from './process-role.js';

/** Creates and initializes the application for a role, an `INestApplication` if the role serves HTTP. It does not listen. */
export type CreateApp = (role: ProcessRole, config: AppConfig) => Promise<INestApplicationContext>;

/** Server event emitted before the host refuses connections, so that readiness can fail first. */
export const DRAINING = 'draining';

/** The timeout for closing pools and finishing commits after all connections are closed. */
const CLOSE_TIMEOUT_MS = 5_000;

/** A started application. It listens for HTTP, or as the writer for the other processes of the host. */
export class RunningApp {
  private constructor(
    private readonly app: INestApplicationContext,
    private readonly http: { server: Server; drain: ConnectionDrain } | undefined,
    private readonly writer: HostWriter | undefined,
    private readonly stopTracing: () => Promise<void>,
  ) {}

  /** @throws StartupError if the address is in use */
  static async start(create: CreateApp, role: ProcessRole, config: AppConfig): Promise<RunningApp> {
    const stopTracing = await startTracing(config, role);
    const app = await create(role, config);
    if (!servesHttp(role)) {
      const writer = role === 'writer' ? app.get(HostWriter) : undefined;
      await writer?.listen();
      return new RunningApp(app, undefined, writer, stopTracing);
    }
    const server = (app as INestApplication).getHttpServer() as Server;
    const drain = new ConnectionDrain(server);
    const { host, port } = config.http;
    await (app as INestApplication).listen(port, host).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new StartupError(`Port ${port} of ${host} is taken by another program; choose another with HTTP_PORT.`);
    });
    return new RunningApp(app, { server, drain }, undefined, stopTracing);
  }

  /** Finishes requests in flight, then closes. Takes at most the notice, the deadline and CLOSE_TIMEOUT_MS. */
  async stop(options: DrainOptions): Promise<void> {
    if (!options.isReplaced) this.http?.server.emit(DRAINING);
    await sleep(options.noticeMs);
    await this.http?.drain.drain(options);
    await this.writer?.drain(options.deadlineMs);
    const close = this.app.close().then(() => this.stopTracing());
    await within(CLOSE_TIMEOUT_MS, close);
  }
}
