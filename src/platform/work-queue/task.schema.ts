import type { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';

export const TASKS = 'tasks';
export const TASK_MODEL = 'Task';

const UP_TO_AN_HOUR = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600];

/** Tasks of one lane do not wait for those of another. `retrySeconds`: after each failure; the last one repeats. */
export const LANES = {
  /** at once */
  foreground: { concurrency: 1, retrySeconds: UP_TO_AN_HOUR },
  /** after CLEANUP_DELAY_MS, when every transaction that began before the task has ended */
  background: { concurrency: 1, retrySeconds: UP_TO_AN_HOUR },
} as const;
export type Lane = keyof typeof LANES;

/** What a committed write left to be done; deleted when it is done. All times are of the database's clock. */
export type TaskRow<P = unknown> = {
  _id: ObjectId;
  topic: string;
  payload: P;
  lane: Lane;
  /** when it was committed, or is scheduled for */
  dueAt: Date;
  /** not run before: its delay, the lease of the process that runs it, or the pause before another attempt */
  runAt: Date;
  /** so far, the present one too */
  attempts: number;
  lastError: string | null;
};

/** A task that the request which added it may run itself (TaskRunner.runInline). */
export type TaskRef = Pick<TaskRow, '_id' | 'topic' | 'payload'>;

export const TaskSchema = new Schema<TaskRow>(
  {
    topic: { type: String, required: true },
    payload: { type: Schema.Types.Mixed, required: true },
    lane: { type: String, required: true, enum: Object.keys(LANES) },
    dueAt: { type: Date, required: true },
    runAt: { type: Date, required: true },
    attempts: { type: Number, required: true },
    lastError: { type: String, default: null },
  },
  schemaOptions(TASKS),
);
// TaskWorker.claim, .isDue: the next one of a lane
TaskSchema.index({ lane: 1, runAt: 1 });
