import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ClusterBus } from './bus.js';
import { ClusterMetrics } from './cluster-metrics.js';
import { AppConfig } from '../../config/app-config.js';
import { HostWriter } from './writer/host-writer.js';
import { linkToPrimary } from './ipc.js';
import { PROCESS_ROLE, type ProcessRole } from './process-role.js';

/**
 * Communication between the processes of this host: `ClusterBus` (messages), `HostWriter` (one process commits for all),
 * `ClusterMetrics`. Supervision, draining and signals are outside of Nest: see primary.ts and worker.ts.
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
        {
          provide: HostWriter,
          useFactory: (config: AppConfig) => new HostWriter(role, config.process.writerSocket),
          inject: [AppConfig],
        },
        { provide: ClusterMetrics, useFactory: () => new ClusterMetrics(linkToPrimary()) },
      ],
      exports: [PROCESS_ROLE, ClusterBus, HostWriter, ClusterMetrics],
    };
  }
}
