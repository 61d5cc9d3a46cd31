// Changes of stored data between releases: the runner of `cli migrate`, and the watch that stops a host whose program is older than the
// data. The number of the format and the check at start are in platform/mongo/format; the migrations are in src/migrations.
import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { HostsModule } from '../hosts/hosts.module.js';
import { FormatWatchService } from './format-watch.service.js';
import { MigrationRunnerService } from './migration-runner.service.js';

@Module({
  imports: [EventsModule, HostsModule],
  providers: [FormatWatchService, MigrationRunnerService],
  exports: [MigrationRunnerService],
})
export class MigrationsModule {}
