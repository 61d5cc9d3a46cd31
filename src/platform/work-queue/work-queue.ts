import { Injectable } from '@nestjs/common';
import { type ClientSession, ObjectId } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import type { Topic } from '../events/topic.js';
import type { UpdateStatement } from '../mongo/batch-commands.js';
import { JobTriggers } from '../jobs/job-triggers.js';
import { MongoService } from '../mongo/mongo.service.js';
import type { Lane, TaskKey } from './lanes.js';
import { type TaskRef, TASKS_JOB, TaskSchema } from './task.schema.js';
import { TaskHandlers } from './task-handlers.js';

type TaskOptions<P> = {
  /** time reserved for the caller to run the task (TaskRunner.runInline), before the worker does */
  reservedMs?: number;
  /** time of a scheduled task; not for the background lane */
  runAt?: Date;
  /** what the task shares places of its lane with; by default its payload, if that is an id */
  keysOf?: (payload: P) => TaskKey[];
  /** the lane for tasks that start apart from those of the topic's first lane, and run the same handlers */
  lane?: Lane;
};

/** Adds tasks as rows of the transaction that requires them, so neither exists without the other. */
@Injectable()
export class WorkQueue {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
    private readonly triggers: JobTriggers,
    private readonly config: AppConfig,
  ) {}

  async add<P>(session: ClientSession, topic: Topic<P>, payload: P, options?: TaskOptions<P>): Promise<TaskRef> {
    const [task] = await this.addMany(session, topic, [payload], options);
    return task!;
  }

  async addMany<P>(
    session: ClientSession,
    { name: topic }: Topic<P>,
    payloads: P[],
    {
      reservedMs = 0,
      runAt: scheduledAt,
      keysOf = subjectOf,
      lane = this.handlers.firstLane(topic),
    }: TaskOptions<P> = {},
  ): Promise<TaskRef[]> {
    if (payloads.length === 0) return [];
    const delayMs = lane === 'background' ? this.config.jobs.cleanupDelayMs : reservedMs;
    const dueAt = scheduledAt ?? '$$NOW';
    const fresh = { lane, dueAt, runAt: { $add: [dueAt, delayMs] }, attempts: 0, lastError: null };
    const tasks = payloads.map((payload) => ({ _id: new ObjectId(), topic, payload }));
    // An insert cannot use the database's clock, but an update pipeline can.
    const statements = tasks.map(({ _id, payload }): UpdateStatement => {
      return {
        q: { _id },
        u: [{ $set: { topic, payload: { $literal: payload }, keys: keysOf(payload), ...fresh } }],
        upsert: true,
      };
    });
    await this.mongo.batch.update(this.mongo.collection(TaskSchema), statements, session);
    this.triggers.fireOnCommit(TASKS_JOB, session);
    return tasks;
  }
}

/** Tasks about the same thing run one after the other where a lane has one place for a cause. */
function subjectOf(payload: unknown): TaskKey[] {
  return payload instanceof ObjectId ? [`cause:${payload.toHexString()}`] : [];
}
