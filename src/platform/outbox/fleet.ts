import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { MongoService } from '../mongo/mongo.service.js';
import { exportGauge } from '../prometheus/metric.js';
import { HOST_SEEN, Hosts, type Seen } from './hosts.js';
import { OUTBOX, type ToldRow } from './outbox-row.js';

/** What the hosts on one database are together: their versions, and the connections that they may open. */
@Injectable()
export class Fleet implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly hosts: Hosts,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    exportGauge({
      name: 'opencanvas_mongo_pool_limit',
      help: 'Connections to one member of the replica set that may be open: of this host, and of all live hosts (MONGODB_POOL_SIZE)',
      labelNames: ['of'],
      aggregator: 'max',
      read: () => Object.entries(this.connections).map(([of, count]) => [{ of }, count] as const),
    });
  }

  /** A detail of readiness. */
  get state(): unknown {
    const versions = [this.hosts.own, ...this.hosts.others].map(versionOf);
    const { poolSize: process } = this.config.mongo;
    return {
      hosts: versions.length,
      versions: [...new Set(versions)].sort(compareVersions),
      connections: { process, ...this.connections },
    };
  }

  /** Live hosts, also of the last minute or two, of an earlier version than this one, or of another build of the same version. */
  async findOlder(): Promise<string[]> {
    const rows = this.mongo.collection<ToldRow<Seen>>(OUTBOX).find({ topic: HOST_SEEN.name });
    const seen = new Map((await rows.toArray()).map(({ payload }) => [payload.host, payload]));
    const own = versionOf(this.hosts.own);
    const isOlder = (one: Seen): boolean => {
      const order = compareVersions(releaseOf(versionOf(one)), releaseOf(own));
      return order < 0 || (order === 0 && versionOf(one) !== own);
    };
    return [...seen.values()].filter(isOlder).map((one) => `${one.name ?? one.host} (${versionOf(one)})`);
  }

  private get connections(): { host: number; fleet: number } {
    const host = this.hosts.own.connections;
    return { host, fleet: this.hosts.others.reduce((sum, { connections = 0 }) => sum + connections, host) };
  }
}

/** Versions before this one did not tell theirs. */
function versionOf({ version }: Seen): string {
  return version ?? '0.0.0';
}

/** Without the build: builds of one version have no order. */
function releaseOf(version: string): string {
  return version.split('+', 1)[0]!;
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
