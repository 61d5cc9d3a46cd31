// The timetable: methods of providers under `@Interval` or `@Cron` of @nestjs/schedule, which are explored only in a process that runs
// jobs, and under `@Leased`, so that they run in one process at a time. Jobs whose work is rows are registered with JobTriggers, and run
// when rows were written. A module with a job imports this one.
import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AppConfig } from '../../config/app-config.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../cluster/process-role.js';
import { EventsModule } from '../events/events.module.js';
import { JobTriggers } from './job-triggers.js';
import { JobsRunner } from './jobs-runner.js';

@Module({
  imports: [
    EventsModule,
    ScheduleModule.forRootAsync({
      inject: [AppConfig, PROCESS_ROLE],
      useFactory: ({ jobs }: AppConfig, role: ProcessRole) => {
        const isOn = jobs.isEnabled && runsJobs(role);
        return { cronJobs: isOn, intervals: isOn, timeouts: isOn };
      },
    }),
  ],
  providers: [JobsRunner, JobTriggers],
  exports: [JobsRunner, JobTriggers],
})
export class JobsModule {}
