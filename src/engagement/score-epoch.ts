export const RANK_SLOTS = ['A', 'B'] as const;
export type RankSlot = (typeof RANK_SLOTS)[number];

export const SCORE_EPOCH_ID = 'posts';
export const SCORE_EPOCHS_COLLECTION = 'score_epochs';

/** The one document of `score_epochs`: which of the two rank slots readers use. The score job fills the other one, then flips. */
export type ScoreEpochRow = {
  _id: typeof SCORE_EPOCH_ID;
  epoch: number;
  slot: RankSlot;
  scoredAt: Date;
  /** set while the job fills the other slot: from then on a cursor of the epoch before cannot be continued */
  filling: { startedAt: Date; now: Date; lastId: unknown; token: number } | null;
};

/** What a reader needs to know of the ranking. */
export type ScoreEpoch = { epoch: number; slot: RankSlot; scoredAt: Date; isPreviousReadable: boolean };

export const FIRST_EPOCH: ScoreEpoch = { epoch: 1, slot: 'A', scoredAt: new Date(0), isPreviousReadable: false };

export function otherSlot(slot: RankSlot): RankSlot {
  return slot === 'A' ? 'B' : 'A';
}
