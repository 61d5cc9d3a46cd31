import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';
import type { Lane, TaskKey } from '../mongo/transaction-rows.js';
import { LANE_NAMES } from './lanes.js';

/** The name of the job, and of the lease of the process that runs tasks. */
export const TASKS_JOB = 'tasks';

/** A reference to a task, with which the request that added the task may run it (TaskRunner.runInline). */
export type TaskRef = Pick<Task, '_id' | 'topic' | 'payload'> &
  Partial<Pick<Task, 'attempts' | 'progress' | 'traceparent'>>;

/** The handler that a failed attempt had reached, and the position it had passed to `throttle`. */
export type TaskProgress = { handler: string; position: unknown };

/** Work that a committed write requires, deleted when done. All times are of the database's clock. */
@Schema(schemaOptions('tasks'))
export class Task<P = unknown> {
  _id!: ObjectId;
  @Prop({ required: true }) topic!: string;
  @Prop({ type: SchemaTypes.Mixed, required: true }) payload!: P;
  @Prop({ type: String, required: true, enum: LANE_NAMES }) lane!: Lane;
  /** time of the commit, or the scheduled time */
  @Prop({ required: true }) dueAt!: Date;
  /** earliest next run: after the delay, the lease of the process that runs the task, or the pause before another attempt */
  @Prop({ required: true }) runAt!: Date;
  /** number of attempts, including the current one */
  @Prop({ required: true }) attempts!: number;
  @Prop({ type: String, default: null }) lastError!: string | null;
  /** what it shares places of its lane with; absent in rows of earlier versions */
  @Prop({ type: [String] }) keys?: TaskKey[];
  /** of the transaction that added it, if that is part of a trace */
  @Prop({ type: String }) traceparent?: string;
  /** where another attempt continues, in this lane */
  @Prop({ type: { _id: false, handler: String, position: SchemaTypes.Mixed } }) progress?: TaskProgress;
}

export const TaskSchema = SchemaFactory.createForClass(Task);
// TaskWorker.claim, .isDue: the next task of a lane
TaskSchema.index({ lane: 1, runAt: 1 });
