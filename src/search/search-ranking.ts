import type { PostCandidate } from './search-index.js';

const YEAR_SECONDS = 31_536_000;

export type RankedPost = PostCandidate & { rank: number };

/**
 * The rank of a post: its words first, then its score (a thousand likes weigh as much as twice the words), then its age (a new post weighs
 * a third more than an old one).
 * @param now in seconds: all pages of one search are ranked at the time of the first
 */
export function rankOf({ publishedAt, score }: PostCandidate, topScore: number, now: number): number {
  const engagement = 1 + Math.log1p(topScore) / 8;
  const freshness = 0.75 + 0.25 * Math.exp(-Math.max(0, now - publishedAt) / YEAR_SECONDS);
  return score * engagement * freshness;
}

export function byRank(a: RankedPost, b: RankedPost): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  return a.id < b.id ? 1 : -1;
}
