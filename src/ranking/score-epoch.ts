export const RANK_SLOTS = ['A', 'B'] as const;
export type RankSlot = (typeof RANK_SLOTS)[number];

export const SCORE_EPOCH_ID = 'posts';
/** cluster bus: the epoch document has changed, read it again */
export const SCORE_EPOCH_CHANNEL = 'score-epoch';

/** A run under way. A row that holds what the formula gives is done, so the run after a crash needs to know no more. */
export type ScoreFilling = {
  startedAt: Date;
  /** the fencing token of the lease the run is under */
  token: number;
};

/** The one document of `score_epochs`: which of the two rank slots readers use. The score job fills the other one, then flips. */
export type ScoreEpochRow = {
  _id: typeof SCORE_EPOCH_ID;
  epoch: number;
  slot: RankSlot;
  scoredAt: Date;
  /** until then cursors of the epoch before are honoured, unless `filling` says that its slot is being overwritten */
  previousUntil?: Date;
  /** set while the job fills the other slot: from then on a cursor of the epoch before cannot be continued */
  filling: ScoreFilling | null;
};

/** What a reader needs to know of the ranking. */
export type ScoreEpoch = { epoch: number; slot: RankSlot; scoredAt: Date; isPreviousReadable: boolean };

export const FIRST_EPOCH: ScoreEpoch = { epoch: 1, slot: 'A', scoredAt: new Date(0), isPreviousReadable: false };

export function otherSlot(slot: RankSlot): RankSlot {
  return slot === 'A' ? 'B' : 'A';
}

/** Whether cursors of the epoch before are honoured. */
export function isPreviousReadable({ epoch, filling, previousUntil }: ScoreEpochRow): boolean {
  return epoch > 1 && filling === null && (previousUntil?.getTime() ?? Infinity) > Date.now();
}
