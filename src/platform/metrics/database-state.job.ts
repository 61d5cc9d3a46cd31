import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Document, Timestamp } from 'mongodb';
import { within } from '../../common/within.js';
import { MongoService } from '../mongo/mongo.service.js';
import { BACKGROUND } from '../mongo/slow-query/command-monitor.js';
import { exportGauge } from '../prometheus/metric.js';
import { replicationLagOf } from './replication-lag.js';

const READ_EVERY_MS = 15_000;
const TIMEOUT_MS = 5_000;

type ServerStatus = {
  connections: { current: number; available: number };
  oplog?: { earliestOptime: Timestamp; latestOptime: Timestamp };
  wiredTiger?: { cache: Record<string, number> };
};

type ExportedValue = { name: string; help: string; read: (status: ServerStatus) => number | null | undefined };

/** Exports the state of MongoDB from the jobs process. A value is absent while the database, or the rights of its user, do not give it. */
@Injectable()
export class DatabaseStateJob {
  private status: ServerStatus | undefined;
  private lag: number | null = null;

  constructor(private readonly mongo: MongoService) {
    this.exportValue({
      name: 'opencanvas_mongo_replication_lag_seconds',
      help: 'Lag of the slowest secondary',
      read: () => this.lag,
    });
    this.exportValue({
      name: 'opencanvas_mongo_oplog_window_seconds',
      help: 'Time that the oplog of the primary covers',
      read: ({ oplog }) => oplog && oplog.latestOptime.getHighBits() - oplog.earliestOptime.getHighBits(),
    });
    this.exportValue({
      name: 'opencanvas_mongo_dirty_ratio',
      help: 'Share of the cache of the primary that is not on disk yet, 0 to 1',
      read: dirtyRatioOf,
    });
    exportGauge({
      name: 'opencanvas_mongo_connections',
      help: 'Connections of the primary, of all clients: current, and available beyond those',
      labelNames: ['state'],
      aggregator: 'max',
      read: () => {
        const { current = 0, available = 0 } = this.status?.connections ?? {};
        return this.status === undefined
          ? []
          : Object.entries({ current, available }).map(([state, n]) => [{ state }, n] as const);
      },
    });
  }

  @Interval(READ_EVERY_MS)
  async read(): Promise<void> {
    const [status, set] = await Promise.all([
      this.command({ serverStatus: 1, oplog: 1, metrics: 0, locks: 0, tcmalloc: 0 }),
      this.command({ replSetGetStatus: 1 }),
    ]);
    this.status = status as ServerStatus | undefined;
    this.lag = replicationLagOf(set);
  }

  private exportValue({ read, ...of }: ExportedValue): void {
    exportGauge({ ...of, aggregator: 'max', read: () => (this.status && read(this.status)) ?? undefined });
  }

  /** Both commands need the role `clusterMonitor`. */
  private command(command: Document): Promise<Document | undefined> {
    const admin = this.mongo.client.db('admin');
    return within(TIMEOUT_MS, admin.command({ ...command, comment: BACKGROUND })).catch(() => undefined);
  }
}

function dirtyRatioOf({ wiredTiger }: ServerStatus): number | null {
  if (wiredTiger === undefined) return null;
  return wiredTiger.cache['tracked dirty bytes in the cache']! / wiredTiger.cache['maximum bytes configured']!;
}
