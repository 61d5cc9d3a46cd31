import type { VisitorStats } from './post-counters.js';

/** The counters in a score. */
export const SCORED_COUNTERS = ['viewsCount', 'readsCount', 'likesCount', 'dislikesCount', 'sharesCount'] as const;

/** Reads and shares of visitors and unverified accounts, which do not count in scores. */
export const VISITOR_EVENTS = ['visitorReads', 'visitorShares'] as const;
/** Votes of unverified accounts, which do not count either. */
export const VISITOR_VOTES = ['visitorLikes', 'visitorDislikes'] as const;
export const VISITOR_COUNTERS = [...VISITOR_EVENTS, ...VISITOR_VOTES] as const;

export type ScoredStats = Record<(typeof SCORED_COUNTERS)[number], number> &
  Partial<Record<(typeof VISITOR_COUNTERS)[number], number>>;

/** Returns the inputs of a post's score. */
export function scoredStatsOf({ stats, visitors }: { stats: ScoredStats; visitors: VisitorStats }): ScoredStats {
  const { reads, shares, likes, dislikes } = visitors;
  return { ...stats, visitorReads: reads, visitorShares: shares, visitorLikes: likes, visitorDislikes: dislikes };
}

/** The ranks of a post at one time. Both slots of `rank` contain copies of these values. */
export interface Rank {
  hot: number;
  top: number;
  /** stored as `win` */
  ageBucket: number;
}

const DAY_MS = 86_400_000;
const GRAVITY = 1.37;
const AGE_OFFSET_DAYS = 2;

/** Upper ends, in days, of the age buckets day, week, month and year. */
const AGE_BUCKET_DAYS = [1, 7, 30, 365];

/**
 * Returns undecayed engagement: the numerator of the score, and the order of `sort=top`. Only reads, shares and votes of verified
 * accounts count, because sending others costs nothing.
 */
export function topScore(stats: ScoredStats): number {
  return (
    stats.viewsCount * 0.5 +
    (stats.readsCount - (stats.visitorReads ?? 0)) * 2.5 +
    (stats.sharesCount - (stats.visitorShares ?? 0)) * 4 +
    (stats.likesCount - (stats.visitorLikes ?? 0)) * 2 +
    1 -
    (stats.dislikesCount - (stats.visitorDislikes ?? 0)) * 1.5
  );
}

/** Returns engagement with decay by age. */
export function score(stats: ScoredStats, ageDays: number): number {
  return withDecay(topScore(stats), ageDays);
}

/** Returns value / (ageDays + 2)^1.37. A negative age counts as zero. */
export function withDecay(value: number, ageDays: number): number {
  return value / Math.pow(Math.max(ageDays, 0) + AGE_OFFSET_DAYS, GRAVITY);
}

/** Returns the age for the decay: the mean of the days since creation and since the last edit of the content. */
export function scoreAgeDays(createdAt: Date, contentEditedAt: Date, now: Date): number {
  return (2 * now.getTime() - createdAt.getTime() - contentEditedAt.getTime()) / 2 / DAY_MS;
}

const POWERS_OF_TEN = Array.from({ length: 16 }, (_, power) => 10 ** power);

/**
 * Rounds to three significant digits, so that the score job does not write tiny changes. Returns exactly `Number(value.toPrecision(3))`,
 * at a fifth of its cost: a whole number divided by a power of ten is the number nearest to the decimal fraction. Values near a tie, or
 * with a misjudged logarithm, use `toPrecision`.
 */
export function quantize(value: number): number {
  const magnitude = Math.abs(value);
  if (magnitude > 1e-12 && magnitude < 1e12) {
    const places = 2 - Math.floor(Math.log10(magnitude));
    const scaled = places >= 0 ? magnitude * POWERS_OF_TEN[places]! : magnitude / POWERS_OF_TEN[-places]!;
    const rounded = Math.round(scaled);
    if (rounded >= 100 && rounded < 1_000 && Math.abs(scaled - Math.floor(scaled) - 0.5) > 1e-9) {
      const result = places >= 0 ? rounded / POWERS_OF_TEN[places]! : rounded * POWERS_OF_TEN[-places]!;
      return value < 0 ? -result : result;
    }
  }
  return Number(value.toPrecision(3));
}

/** Returns the smallest bucket that contains a post of this age: 0 day, 1 week, 2 month, 3 year, 4 older. */
export function ageBucketOf(ageDays: number): number {
  const bucket = AGE_BUCKET_DAYS.findIndex((days) => ageDays <= days);
  return bucket === -1 ? AGE_BUCKET_DAYS.length : bucket;
}

/** Returns a nearly unique number in [0, 1) that increases with the id: its creation second (32 bits) and 6 bits of its counter. */
function tieBreakOf(id: ObjectIdBytes): number {
  const bytes = id.id;
  const seconds = ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) >>> 0;
  return (seconds * 64 + (bytes[11]! & 63)) / 2 ** 38;
}

/** The ranks of posts in two slots: readers use one slot while the score job fills the other. */
export type SlotRanks = {
  hotA: number;
  hotB: number;
  topA: number;
  topB: number;
  winA: number;
  winB: number;
};

/** Returns the same ranks for both slots, so that a post is in place in either slot. */
export function rankBothSlots(
  stats: ScoredStats,
  createdAt: Date,
  contentEditedAt: Date,
  now: Date,
  id: ObjectIdBytes,
): SlotRanks {
  const { hot, top, ageBucket: win } = rankOf(stats, createdAt, contentEditedAt, now, id);
  return { hotA: hot, hotB: hot, topA: top, topB: top, winA: win, winB: win };
}

type ObjectIdBytes = { readonly id: Uint8Array };

/**
 * Returns all values that rank a post at `now`. The id orders equal scores, in digits far below the rounding, so that this one number
 * is a total order: a feed page is one index range without a tie-break scan.
 */
export function rankOf(stats: ScoredStats, createdAt: Date, contentEditedAt: Date, now: Date, id: ObjectIdBytes): Rank {
  const tie = tieBreakOf(id);
  const hot = quantize(score(stats, scoreAgeDays(createdAt, contentEditedAt, now)));
  return {
    hot: hot + tie * (Math.abs(hot) * 0.0005 || 1e-9),
    top: topScore(stats) + tie * 0.25,
    ageBucket: ageBucketOf((now.getTime() - createdAt.getTime()) / DAY_MS),
  };
}
