import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { RANK_SLOTS, type RankSlot, type SCORE_EPOCH_ID } from './score-epoch.js';

/** A run in progress. A post that equals the formula is done, so the run after a crash needs no other state. */
@Schema({ _id: false })
export class ScoreFilling {
  @Prop({ required: true }) startedAt!: Date;
  /** the fencing token of the run's lease */
  @Prop({ required: true }) token!: number;
}

/** The only document of `score_epochs`: the rank slot for readers. The score job fills the other slot, then flips the epoch. */
@Schema(schemaOptions('score_epochs'))
export class StoredScoreEpoch {
  @Prop({ type: String, required: true }) _id!: typeof SCORE_EPOCH_ID;
  @Prop({ required: true, min: 1 }) epoch!: number;
  @Prop({ type: String, required: true, enum: RANK_SLOTS }) slot!: RankSlot;
  @Prop({ required: true }) scoredAt!: Date;
  /** Until then, cursors of the previous epoch are valid, unless `filling` overwrites its slot. */
  @Prop() previousUntil?: Date;
  /** set while the job fills the other slot, which expires cursors of the previous epoch */
  @Prop({ type: ScoreFilling, default: null }) filling!: ScoreFilling | null;
}

export const StoredScoreEpochSchema = SchemaFactory.createForClass(StoredScoreEpoch);

/** Whether cursors of the previous epoch are valid. */
export function isPreviousReadable({ epoch, filling, previousUntil }: StoredScoreEpoch): boolean {
  return epoch > 1 && filling === null && (previousUntil?.getTime() ?? Infinity) > Date.now();
}
