import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { JobTriggers } from '../jobs/job-triggers.js';
import { MongoService } from '../mongo/mongo.service.js';
import type { UpdateStatement } from '../mongo/update-statements.js';
import { TASKS_JOB, TaskSchema } from './task.schema.js';
import { TaskHandlers } from './task-handlers.js';
import type { NewTask, TaskKey } from '../mongo/transaction-rows.js';

/** Writes tasks as rows of the transaction that adds them (Transaction.addTask), so neither exists without the other. */
@Injectable()
export class WorkQueue {
  constructor(
    mongo: MongoService,
    private readonly handlers: TaskHandlers,
    triggers: JobTriggers,
    private readonly config: AppConfig,
  ) {
    const rows = mongo.collection(TaskSchema);
    mongo.completion.addTasks = async (tasks, tx) => {
      const statements = tasks.map((task) => this.statementOf(task, tx.traceparent));
      await tx.update(rows, statements);
      tx.afterCommit(() => triggers.fire(TASKS_JOB));
    };
  }

  /** An insert cannot use the database's clock, but an update pipeline can. */
  private statementOf({ _id, topic, payload, options }: NewTask, traceparent: string | undefined): UpdateStatement {
    const { reservedMs = 0, runAt: scheduledAt, keysOf = subjectOf, lane = this.handlers.firstLane(topic) } = options;
    const delayMs = lane === 'background' ? this.config.jobs.cleanupDelayMs : reservedMs;
    const dueAt = scheduledAt ?? '$$NOW';
    const fresh = { lane, dueAt, runAt: { $add: [dueAt, delayMs] }, attempts: 0, lastError: null };
    const set = {
      topic,
      payload: { $literal: payload },
      keys: keysOf(payload),
      ...fresh,
      ...(traceparent && { traceparent }),
    };
    return { q: { _id }, u: [{ $set: set }], upsert: true };
  }
}

/** Tasks about the same thing run one after the other where a lane has one place for a cause. */
function subjectOf(payload: unknown): TaskKey[] {
  return payload instanceof ObjectId ? [`cause:${payload.toHexString()}`] : [];
}
