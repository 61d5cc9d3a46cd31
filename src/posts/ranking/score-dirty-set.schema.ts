import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';

export const SCORE_MARKS = 'score_marks';
/** the name the model is registered under */
export const SCORE_MARK_MODEL = 'ScoreMark';
/** longer than the score job goes without comparing every post: older marks tell nobody anything */
const TTL_SECONDS = 2 * 86_400;

/** Posts whose score may have changed, left by the transaction that changed it. */
export type ScoreMarkRow = {
  _id: ObjectId;
  /** their ids, 12 bytes each, one after the other */
  posts: Binary;
  createdAt: Date;
};

export const ScoreMarkSchema = new Schema<ScoreMarkRow>(
  {
    posts: { type: Schema.Types.Buffer, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: SCORE_MARKS, autoIndex: false, autoCreate: false, versionKey: false },
);

// the job reads the youngest and removes what it has read; where no job runs, the server itself removes them
ScoreMarkSchema.index({ createdAt: 1 }, { expireAfterSeconds: TTL_SECONDS });
