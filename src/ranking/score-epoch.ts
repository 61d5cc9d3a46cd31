export const RANK_SLOTS = ['A', 'B'] as const;
export type RankSlot = (typeof RANK_SLOTS)[number];

export const SCORE_EPOCH_ID = 'posts';
/** bus channel for changes of the epoch document */
export const SCORE_EPOCH_CHANNEL = 'score-epoch';

/** The state of the ranking for readers. */
export type ScoreEpoch = { epoch: number; slot: RankSlot; scoredAt: Date; isPreviousReadable: boolean };

export const FIRST_EPOCH: ScoreEpoch = { epoch: 1, slot: 'A', scoredAt: new Date(0), isPreviousReadable: false };

export function otherSlot(slot: RankSlot): RankSlot {
  return slot === 'A' ? 'B' : 'A';
}
