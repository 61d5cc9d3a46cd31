import cluster from 'node:cluster';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ClusterBus } from './bus.js';
import { ClusterMetrics } from './cluster-metrics.js';
import { HostBatches } from './host-batches.js';
import { HostTurns } from './host-turns.js';
import { linkToPrimary } from './link.js';
import { PROCESS_ROLE, type ProcessRole } from './process-role.js';

/**
 * The processes of this host and how they talk. Everybody may inject `ClusterBus` (tell the other processes), `HostTurns`
 * (one process at a time), `HostBatches` (one process commits for all), `ClusterMetrics` (one metrics page for all) and PROCESS_ROLE.
 * Supervising, draining and signals are not Nest's: see primary.ts and worker.ts.
 */
@Global()
@Module({})
export class ClusterModule {
  static with(role: ProcessRole): DynamicModule {
    return {
      module: ClusterModule,
      providers: [
        { provide: PROCESS_ROLE, useValue: role },
        { provide: ClusterBus, useFactory: () => new ClusterBus(linkToPrimary()) },
        { provide: HostTurns, useFactory: () => new HostTurns(linkToPrimary(), cluster.worker?.id) },
        {
          provide: HostBatches,
          useFactory: (turns: HostTurns) => new HostBatches(turns, linkToPrimary()),
          inject: [HostTurns],
        },
        { provide: ClusterMetrics, useFactory: (bus: ClusterBus) => new ClusterMetrics(bus), inject: [ClusterBus] },
      ],
      exports: [PROCESS_ROLE, ClusterBus, HostTurns, HostBatches, ClusterMetrics],
    };
  }
}
