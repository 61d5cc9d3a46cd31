// What deletions and changes of authors left to do: removed in bounded batches at a limited rate, by one process of all hosts.
// The rooms add tasks (SweepTasks) and register their handlers (SweepHandlers), both in platform/jobs; this module only runs them,
// by the clock or for `cli sweep`. It imports no room and no room imports it.
import { Module } from '@nestjs/common';
import { SweeperSchedule } from './outbox.schedule.js';
import { SweeperService } from './outbox-worker.js';

@Module({ providers: [SweeperService, SweeperSchedule], exports: [SweeperService] })
export class SweeperModule {}
