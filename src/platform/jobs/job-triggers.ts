import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../cluster/process-role.js';
import { EventPublisher } from '../events/event-publisher.js';
import { EventStream } from '../events/event-stream.js';
import type { Topic } from '../../common/topic.js';
import { JobsRunner } from './jobs-runner.js';
import { type JobOfRows, TriggeredJob } from './triggered-job.js';

/** Names of jobs for which a process has committed rows. */
const JOBS_TRIGGERED: Topic<string[]> = { name: 'jobs.triggered' };
/** A process publishes at most one event in this time. */
const PUBLISH_EVERY_MS = 200;

/** Starts jobs when rows for them were committed, by any process of any host, instead of polling for rows. */
@Injectable()
export class JobTriggers implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly jobs = new Map<string, TriggeredJob>();
  private readonly isOn: boolean;
  private readonly unpublished = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private publishedAt = -Infinity;

  constructor(
    private readonly events: EventPublisher,
    private readonly stream: EventStream,
    private readonly runner: JobsRunner,
    { jobs }: AppConfig,
    @Inject(PROCESS_ROLE) role: ProcessRole,
  ) {
    this.isOn = jobs.isEnabled && runsJobs(role);
  }

  onModuleInit(): void {
    this.stream.subscribe(JOBS_TRIGGERED, {
      onEvent: (names) => names.forEach((name) => this.jobs.get(name)?.trigger()),
      onGap: () => this.triggerAll(),
    });
  }

  onApplicationBootstrap(): void {
    this.triggerAll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const job of this.jobs.values()) job.stop();
    clearTimeout(this.timer);
    if (this.unpublished.size > 0) await this.publish();
  }

  /** Call in `onModuleInit`. The job runs only in a process that runs jobs. */
  register(name: string, job: JobOfRows): void {
    if (this.isOn) this.jobs.set(name, new TriggeredJob(name, job, this.runner));
  }

  /** Call after the commit of the rows. Triggers the job on all hosts within milliseconds. One of them runs it. */
  fire(name: string): void {
    this.unpublished.add(name);
    const waitMs = Math.max(0, this.publishedAt + PUBLISH_EVERY_MS - performance.now());
    this.timer ??= setTimeout(() => void this.publish(), waitMs).unref();
  }

  private async publish(): Promise<void> {
    this.timer = undefined;
    this.publishedAt = performance.now();
    const names = [...this.unpublished];
    this.unpublished.clear();
    // Without a database, the jobs find the rows later.
    await this.events.announce(JOBS_TRIGGERED, names).catch(() => {});
  }

  private triggerAll(): void {
    for (const job of this.jobs.values()) job.trigger();
  }
}
