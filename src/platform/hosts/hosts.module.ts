// The list of live hosts, for operators: details of readiness, metrics, a warning in the log. No request waits for it.
import { Global, Module } from '@nestjs/common';
import { exportGauge } from '../prometheus/metric.js';
import { Hosts } from './hosts.js';

@Global()
@Module({ providers: [Hosts], exports: [Hosts] })
export class HostsModule {
  constructor(hosts: Hosts) {
    const gauge = (name: string, help: string, read: () => number): void =>
      exportGauge({ name, help, aggregator: 'max', read });
    gauge('opencanvas_other_hosts', 'Other live hosts on the same database', () => hosts.others.length);
    gauge(
      'opencanvas_clock_offset_seconds',
      'Clock of this host minus that of MongoDB',
      () => hosts.clockOffsetMs / 1_000,
    );
    gauge(
      'opencanvas_hosts_with_other_secret',
      'Live hosts that sign with an AUTH_TOKEN_SECRET that this one does not have',
      () => hosts.withOtherSecret.length,
    );
    exportGauge({
      name: 'opencanvas_mongo_pool_limit',
      help: 'Connections to one member of the replica set that may be open: of this host, and of all live hosts (MONGODB_POOL_SIZE)',
      labelNames: ['of'],
      aggregator: 'max',
      read: () => (['host', 'fleet'] as const).map((of) => [{ of }, hosts.state.connections[of]] as const),
    });
  }
}
