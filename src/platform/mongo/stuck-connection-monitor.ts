import cluster from 'node:cluster';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { exportGauge } from '../prometheus/metric.js';
import { MongoService } from './mongo.service.js';

/** Checks within the longest time that a command may take; one more check is too late. */
const LOOKS = 6;

type PoolEvent = { address: string; connectionId: unknown };

/**
 * Watches the connections of the pool. A connection that is closed while a command is sent over it never returns to the pool
 * (CommandTimeouts says why). No other command takes longer than MONGODB_SOCKET_TIMEOUT_MS. A process with such a connection exits, and
 * its primary starts another.
 */
@Injectable()
export class StuckConnectionMonitor implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  /** a set, not a number, because some connections are older than this listener */
  private readonly open = new Set<string>();
  /** connections in use, and the number of checks that found them so: time alone would also pass during a pause of this process */
  private readonly looksOf = new Map<string, number>();
  private readonly lookEveryMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly mongo: MongoService,
    { mongo: { socketTimeoutMs } }: AppConfig,
  ) {
    this.lookEveryMs = socketTimeoutMs / LOOKS;
  }

  onModuleInit(): void {
    exportGauge({
      name: 'opencanvas_mongo_pool_connections',
      help: 'Connections of the pool',
      labelNames: ['state'],
      read: () => [
        [{ state: 'open' }, this.open.size],
        [{ state: 'in use' }, this.looksOf.size],
      ],
    });
    this.mongo.client
      .on('connectionCreated', (event) => this.open.add(nameOf(event)))
      .on('connectionCheckedOut', (event) => {
        this.open.add(nameOf(event));
        this.looksOf.set(nameOf(event), 0);
      })
      .on('connectionCheckedIn', (event) => this.looksOf.delete(nameOf(event)))
      .on('connectionClosed', (event) => {
        this.open.delete(nameOf(event));
        this.looksOf.delete(nameOf(event));
      });
    this.timer = setInterval(() => this.look(), this.lookEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const [name, looks] of this.looksOf) {
      this.looksOf.set(name, looks + 1);
      if (looks !== LOOKS) continue;
      this.logger.error(`A command on connection ${name} is neither answered nor refused.`);
      if (cluster.isWorker) process.exit(1);
    }
  }
}

function nameOf({ address, connectionId }: PoolEvent): string {
  return `${address}/${String(connectionId)}`;
}
