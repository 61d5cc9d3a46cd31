import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { RANK_SLOTS, type ScoreEpochRow, type ScoreFilling } from './score-epoch.js';

/** the name of the model */
export const SCORE_EPOCH_MODEL = 'ScoreEpoch';

const date = { type: Date, required: true };

const filling = new Schema<ScoreFilling>({ startedAt: date, token: { type: Number, required: true } }, { _id: false });

/** One document, found by its _id. */
export const ScoreEpochSchema = new Schema<ScoreEpochRow>(
  {
    _id: { type: String, required: true },
    epoch: { type: Number, required: true, min: 1 },
    slot: { type: String, required: true, enum: RANK_SLOTS },
    scoredAt: date,
    previousUntil: Date,
    filling: { type: filling, default: null },
  },
  schemaOptions('score_epochs'),
);
