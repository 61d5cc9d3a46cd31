// The timetable: methods of providers under `@Interval` or `@Cron` of @nestjs/schedule, which are explored only in a process that runs
// jobs, and under `@Leased`, so that they run in one process at a time. A module with such a method imports this one.
import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { AppConfig } from '../../config/app-config.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../cluster/process-role.js';
import { JobsRunner } from './jobs-runner.js';

@Module({
  imports: [
    ScheduleModule.forRootAsync({
      inject: [AppConfig, PROCESS_ROLE],
      useFactory: ({ jobs }: AppConfig, role: ProcessRole) => {
        const isOn = jobs.isEnabled && runsJobs(role);
        return { cronJobs: isOn, intervals: isOn, timeouts: isOn };
      },
    }),
  ],
  providers: [JobsRunner],
  exports: [JobsRunner],
})
export class JobsModule {}
