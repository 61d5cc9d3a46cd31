import { Schema } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';
import { OUTBOX, type OutboxRow, type ToldRow } from '../events/event-row.js';

export const OUTBOX_MODEL = 'OutboxRow';

export const OutboxSchema = new Schema<OutboxRow | ToldRow>(
  {
    topic: { type: String, required: true },
    payload: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
    stage: { type: String, enum: ['foreground', 'background'] },
    attempts: Number,
    retryAt: Date,
    lastError: String,
    expiresAt: Date,
  },
  schemaOptions(OUTBOX),
);
// the worker: the oldest row that waits for a pass
OutboxSchema.index({ stage: 1, createdAt: 1 }, { partialFilterExpression: { stage: { $exists: true } } });
// no query: the server itself removes what was told
OutboxSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, sparse: true });
