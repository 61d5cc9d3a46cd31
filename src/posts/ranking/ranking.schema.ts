import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';
import { RANK_SLOTS, type ScoreEpochRow, type ScoreFilling } from './score-epoch.js';

/** the names the models are registered under */
export const SCORE_EPOCH_MODEL = 'ScoreEpoch';
export const SCORE_DIRTY_MODEL = 'ScoreDirty';
/** of the dirty set: longer than the score job goes without comparing every post */
const TTL_SECONDS = 2 * 86_400;

const date = { type: Date, required: true };

const filling = new Schema<ScoreFilling>(
  {
    startedAt: date,
    now: date,
    token: { type: Number, required: true },
    isWhole: Boolean,
    // keys of indexes have dots in their names
    indexes: { type: Schema.Types.Mixed, default: null },
  },
  { _id: false },
);

/** One document, found by its _id. */
export const ScoreEpochSchema = new Schema<ScoreEpochRow>(
  {
    _id: { type: String, required: true },
    epoch: { type: Number, required: true, min: 1 },
    slot: { type: String, required: true, enum: RANK_SLOTS },
    scoredAt: date,
    previousUntil: Date,
    marksSince: Date,
    formula: Number,
    comparedAllAt: Date,
    filling: { type: filling, default: null },
  },
  schemaOptions('score_epochs'),
);

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
    createdAt: date,
  },
  schemaOptions('score_marks'),
);

// the job reads the youngest and removes what it has read; where no job runs, the server itself removes them
ScoreDirtySchema.index({ createdAt: 1 }, { expireAfterSeconds: TTL_SECONDS });
