import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

/** the name the model is registered under */
export const SCORE_DIRTY_MODEL = 'ScoreDirty';
/** longer than the score job goes without comparing every post */
const TTL_SECONDS = 2 * 86_400;

/** Posts whose score may have changed, left by the transaction that changed it. */
export type ScoreDirtyRow = {
  _id: ObjectId;
  /** their ids, 12 bytes each, one after the other */
  posts: Binary;
  createdAt: Date;
};

export const ScoreDirtySchema = new Schema<ScoreDirtyRow>(
  {
    posts: { type: Schema.Types.Buffer, required: true },
    createdAt: { type: Date, required: true },
  },
  schemaOptions('score_marks'),
);

// the job reads the youngest and removes what it has read; where no job runs, the server itself removes them
ScoreDirtySchema.index({ createdAt: 1 }, { expireAfterSeconds: TTL_SECONDS });
