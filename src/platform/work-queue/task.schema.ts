import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';

const UP_TO_AN_HOUR = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600];

/** A task does not wait for tasks of other lanes. `retrySeconds` are the delays after each failure; the last one repeats. */
export const LANES = {
  /** immediate */
  foreground: { concurrency: 1, retrySeconds: UP_TO_AN_HOUR },
  /** after CLEANUP_DELAY_MS, when every transaction that began before the task has ended */
  background: { concurrency: 1, retrySeconds: UP_TO_AN_HOUR },
  /** tasks that run for minutes */
  long: { concurrency: 1, retrySeconds: [1] },
  push: { concurrency: 4, retrySeconds: [60, 300, 900, 3_600] },
  mail: { concurrency: 4, retrySeconds: [60, 300, 900, 3_600, 10_800, 21_600, 43_200] },
} as const;
export type Lane = keyof typeof LANES;

/** A reference to a task, with which the request that added the task may run it (TaskRunner.runInline). */
export type TaskRef = Pick<Task, '_id' | 'topic' | 'payload'> & { attempts?: number };

/** Work that a committed write requires, deleted when done. All times are of the database's clock. */
@Schema(schemaOptions('tasks'))
export class Task<P = unknown> {
  _id!: ObjectId;
  @Prop({ required: true }) topic!: string;
  @Prop({ type: SchemaTypes.Mixed, required: true }) payload!: P;
  @Prop({ type: String, required: true, enum: Object.keys(LANES) }) lane!: Lane;
  /** time of the commit, or the scheduled time */
  @Prop({ required: true }) dueAt!: Date;
  /** earliest next run: after the delay, the lease of the process that runs the task, or the pause before another attempt */
  @Prop({ required: true }) runAt!: Date;
  /** number of attempts, including the current one */
  @Prop({ required: true }) attempts!: number;
  @Prop({ type: String, default: null }) lastError!: string | null;
}

export const TaskSchema = SchemaFactory.createForClass(Task);
// TaskWorker.claim, .isDue: the next task of a lane
TaskSchema.index({ lane: 1, runAt: 1 });
