import type { Binary } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const DEAD_EVENTS = 'events_dead';
export const DEAD_EVENT_MODEL = 'DeadEvent';

const KEPT_SECONDS = 7 * 86_400;

/** An invalid message, kept for an operator who looks for its producer. `_id` is its partition and offset. */
export type DeadEventRow = {
  _id: string;
  reason: string;
  /** its beginning */
  value: Binary;
  at: Date;
};

export const DeadEventSchema = new Schema<DeadEventRow>(
  {
    _id: { type: String, required: true },
    reason: { type: String, required: true },
    value: { type: Schema.Types.Buffer, required: true },
    at: { type: Date, required: true },
  },
  schemaOptions(DEAD_EVENTS),
);
// MongoDB deletes expired rows
DeadEventSchema.index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });
