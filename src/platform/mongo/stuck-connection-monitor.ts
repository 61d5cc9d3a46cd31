import cluster from 'node:cluster';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { exportGauge } from '../prometheus/metric.js';
import { MongoService } from './mongo.service.js';

/** Checks within the maximum duration of a command. A connection in use at one more check is stuck. */
const CHECKS = 6;

type PoolEvent = { address: string; connectionId: unknown };

/**
 * Detects connections that never return to the pool because they were closed while a command was sent (see CommandTimeouts); all other
 * commands end within MONGODB_SOCKET_TIMEOUT_MS. The process then exits, and its primary restarts it.
 */
@Injectable()
export class StuckConnectionMonitor implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  /** A set instead of a counter, because some connections were opened before this listener was added. */
  private readonly open = new Set<string>();
  /** number of checks at which a connection was in use; elapsed time would also include a pause of this process */
  private readonly checksOf = new Map<string, number>();
  private readonly checkIntervalMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly mongo: MongoService,
    { mongo: { socketTimeoutMs } }: AppConfig,
  ) {
    this.checkIntervalMs = socketTimeoutMs / CHECKS;
  }

  onModuleInit(): void {
    exportGauge({
      name: 'opencanvas_mongo_pool_connections',
      help: 'Connections of the pool, by state',
      labelNames: ['state'],
      read: () => [
        [{ state: 'open' }, this.open.size],
        [{ state: 'in use' }, this.checksOf.size],
      ],
    });
    this.mongo.client
      .on('connectionCreated', (event) => this.open.add(nameOf(event)))
      .on('connectionCheckedOut', (event) => {
        this.open.add(nameOf(event));
        this.checksOf.set(nameOf(event), 0);
      })
      .on('connectionCheckedIn', (event) => this.checksOf.delete(nameOf(event)))
      .on('connectionClosed', (event) => {
        this.open.delete(nameOf(event));
        this.checksOf.delete(nameOf(event));
      });
    this.timer = setInterval(() => this.check(), this.checkIntervalMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    for (const [name, checks] of this.checksOf) {
      this.checksOf.set(name, checks + 1);
      if (checks !== CHECKS) continue;
      this.logger.error(`A command on connection ${name} did not complete.`);
      if (cluster.isWorker) process.exit(1);
    }
  }
}

function nameOf({ address, connectionId }: PoolEvent): string {
  return `${address}/${String(connectionId)}`;
}
