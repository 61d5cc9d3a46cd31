import { Schema } from 'mongoose';
import { SWEEP_TASKS, type SweepTask } from './outbox.js';

export const SWEEP_TASK_MODEL = 'SweepTask';

export const SweepTaskSchema = new Schema<SweepTask>(
  {
    kind: { type: String, required: true },
    targetId: { type: Schema.Types.ObjectId, required: true },
    createdAt: { type: Date, required: true },
    earlyDoneAt: { type: Date, default: null },
    attempts: { type: Number, default: 0 },
    retryAt: { type: Date, default: null },
    lastError: { type: String, default: null },
  },
  { collection: SWEEP_TASKS, autoIndex: false, autoCreate: false, versionKey: false },
);
// the sweeper: the oldest task past its grace
SweepTaskSchema.index({ createdAt: 1 });
// the sweeper: the oldest task that has its early pass before it
SweepTaskSchema.index({ kind: 1, earlyDoneAt: 1, createdAt: 1 });
