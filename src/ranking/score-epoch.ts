export const RANK_SLOTS = ['A', 'B'] as const;
export type RankSlot = (typeof RANK_SLOTS)[number];

export const SCORE_EPOCH_ID = 'posts';
/** cluster bus: the epoch document has changed, read it again */
export const SCORE_EPOCH_CHANNEL = 'score-epoch';

/** A run in progress. A row that equals the formula is done, so the run after a crash needs no other state. */
export type ScoreFilling = {
  startedAt: Date;
  /** the fencing token of the run's lease */
  token: number;
};

/** The one document of `score_epochs`: the rank slot for readers. The score job fills the other one, then flips. */
export type ScoreEpochRow = {
  _id: typeof SCORE_EPOCH_ID;
  epoch: number;
  slot: RankSlot;
  scoredAt: Date;
  /** until then cursors of the previous epoch are valid, unless `filling` overwrites its slot */
  previousUntil?: Date;
  /** set while the job fills the other slot: from then on cursors of the previous epoch have expired */
  filling: ScoreFilling | null;
};

/** The state of the ranking for readers. */
export type ScoreEpoch = { epoch: number; slot: RankSlot; scoredAt: Date; isPreviousReadable: boolean };

export const FIRST_EPOCH: ScoreEpoch = { epoch: 1, slot: 'A', scoredAt: new Date(0), isPreviousReadable: false };

export function otherSlot(slot: RankSlot): RankSlot {
  return slot === 'A' ? 'B' : 'A';
}

/** Whether cursors of the previous epoch are valid. */
export function isPreviousReadable({ epoch, filling, previousUntil }: ScoreEpochRow): boolean {
  return epoch > 1 && filling === null && (previousUntil?.getTime() ?? Infinity) > Date.now();
}
