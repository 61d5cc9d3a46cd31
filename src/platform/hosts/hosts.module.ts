// The list of live hosts, for operators: details of readiness, metrics, a warning in the log. No request depends on the list.
import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { exportGauge } from '../prometheus/metric.js';
import { Hosts } from './hosts.js';

@Module({ imports: [EventsModule], providers: [Hosts], exports: [Hosts] })
export class HostsModule {
  constructor(hosts: Hosts) {
    exportGauge({
      name: 'opencanvas_other_hosts',
      help: 'Other live hosts on the same database',
      aggregator: 'max',
      read: () => hosts.others.length,
    });
    exportGauge({
      name: 'opencanvas_clock_offset_seconds',
      help: 'Clock of this host minus the clock of MongoDB',
      aggregator: 'max',
      read: () => hosts.clockOffsetMs / 1_000,
    });
    exportGauge({
      name: 'opencanvas_hosts_with_other_secret',
      help: 'Live hosts that sign with an AUTH_TOKEN_SECRET unknown to this host',
      aggregator: 'max',
      read: () => hosts.withOtherSecret.length,
    });
    exportGauge({
      name: 'opencanvas_mongo_pool_limit',
      help: 'Maximum connections to one member of the replica set: of this host, and of all live hosts (MONGODB_POOL_SIZE)',
      labelNames: ['of'],
      aggregator: 'max',
      read: () => (['host', 'cluster'] as const).map((of) => [{ of }, hosts.state.connections[of]] as const),
    });
  }
}
