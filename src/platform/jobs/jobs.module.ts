// The timetable: methods of providers under `@Interval` or `@Cron` of @nestjs/schedule, which are explored only in a process that runs
// jobs, and under `@Leased`, so that they run in one process at a time.
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { JobsRunner } from './jobs-runner.js';

@Global()
@Module({})
export class JobsModule {
  static with(isOn: boolean): DynamicModule {
    return {
      module: JobsModule,
      imports: [ScheduleModule.forRoot({ cronJobs: isOn, intervals: isOn, timeouts: isOn })],
      providers: [JobsRunner],
      exports: [JobsRunner],
    };
  }
}
