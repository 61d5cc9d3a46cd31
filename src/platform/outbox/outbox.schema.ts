import { Schema } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';
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
  schemaOptions(OUTBOX),
);
// the worker: the oldest row that waits for a pass
OutboxSchema.index({ stage: 1, createdAt: 1 });
