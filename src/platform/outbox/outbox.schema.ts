import { Schema } from 'mongoose';
import { OUTBOX, type OutboxRow } from './outbox-row.js';

export const OUTBOX_MODEL = 'OutboxRow';

export const OutboxSchema = new Schema<OutboxRow>(
  {
    topic: { type: String, required: true },
    payload: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
    stage: { type: String, enum: ['foreground', 'background'], required: true },
    attempts: { type: Number, default: 0 },
    retryAt: { type: Date, default: null },
    lastError: { type: String, default: null },
  },
  { collection: OUTBOX, autoIndex: false, autoCreate: false, versionKey: false },
);
// the worker: the oldest row that waits for a pass
OutboxSchema.index({ stage: 1, createdAt: 1 });
