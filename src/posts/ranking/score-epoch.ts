export const RANK_SLOTS = ['A', 'B'] as const;
export type RankSlot = (typeof RANK_SLOTS)[number];

export const SCORE_EPOCH_ID = 'posts';
/** cluster bus: the epoch document has changed, read it again */
export const SCORE_EPOCH_CHANNEL = 'score-epoch';

/** An index of `posts` as the server lists it, without its version. */
export type RankIndex = { name: string; key: Record<string, 1 | -1>; partialFilterExpression?: object };

/**
 * A run under way, kept in the database so that the run after a crash continues with the same moment. How far it came is told by the
 * rows themselves: a row that holds what `now` gives it is done.
 */
export type ScoreFilling = {
  startedAt: Date;
  now: Date;
  /** the fencing token of the lease the run is under */
  token: number;
  /** every post is compared; a run that was interrupted while it did so has to */
  isWhole?: boolean;
  /** indexes of the slot that are to be built again before the flip; null while none was dropped */
  indexes: RankIndex[] | null;
};

/** The one document of `score_epochs`: which of the two rank slots readers use. The score job fills the other one, then flips. */
export type ScoreEpochRow = {
  _id: typeof SCORE_EPOCH_ID;
  epoch: number;
  slot: RankSlot;
  scoredAt: Date;
  /** until then cursors of the epoch before are honoured, unless `filling` says that its slot is being overwritten */
  previousUntil?: Date;
  /** the next run reads the dirty set from here; missing before the first run, and after one of an older version */
  marksSince?: Date;
  /** of the formula that both slots hold */
  formula?: number;
  /** when a run last compared every post */
  comparedAllAt?: Date;
  /** set while the job fills the other slot: from then on a cursor of the epoch before cannot be continued */
  filling: ScoreFilling | null;
};

/** What a reader needs to know of the ranking. */
export type ScoreEpoch = { epoch: number; slot: RankSlot; scoredAt: Date; isPreviousReadable: boolean };

export const FIRST_EPOCH: ScoreEpoch = { epoch: 1, slot: 'A', scoredAt: new Date(0), isPreviousReadable: false };

export function otherSlot(slot: RankSlot): RankSlot {
  return slot === 'A' ? 'B' : 'A';
}
