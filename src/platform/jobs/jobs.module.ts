// The timetable: work that runs by the clock, in one process at a time. Features pass their work to `JobsRunner`: from a method under
// @Cron or @Interval, or with `every` where the schedule is configuration. Providers of @nestjs/schedule are explored only in a
// process whose role runs jobs.
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { type ProcessRole, runsJobs } from '../cluster/process-role.js';
import { JobsRunner } from './jobs-runner.js';

@Global()
@Module({})
export class JobsModule {
  static with(role: ProcessRole): DynamicModule {
    const isOn = runsJobs(role);
    return {
      module: JobsModule,
      imports: [ScheduleModule.forRoot({ cronJobs: isOn, intervals: isOn, timeouts: isOn })],
      providers: [JobsRunner],
      exports: [JobsRunner],
    };
  }
}
