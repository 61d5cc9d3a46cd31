import type { PostCandidate } from './search-index.js';

const YEAR_SECONDS = 31_536_000;

export type RankedPost = PostCandidate & { rank: number };

/**
 * Returns the candidates, best first.
 * @param scores of `top`, by id
 * @param now in seconds; all pages of one search are ranked at the time of the first page
 */
export function rankPosts(
  posts: readonly PostCandidate[],
  scores: ReadonlyMap<string, number>,
  now: number,
): RankedPost[] {
  return posts.map((post) => ({ ...post, rank: rankOf(post, scores.get(post.id)!, now) })).sort(byRank);
}

/**
 * Returns the rank of a post: its words first, then its score (a thousand likes weigh as much as twice the words), then its age (a new post
 * weighs a third more than an old one).
 */
function rankOf({ publishedAt, score }: PostCandidate, topScore: number, now: number): number {
  const engagement = 1 + Math.log1p(topScore) / 8;
  const freshness = 0.75 + 0.25 * Math.exp(-Math.max(0, now - publishedAt) / YEAR_SECONDS);
  return score * engagement * freshness;
}

function byRank(a: RankedPost, b: RankedPost): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  return a.id < b.id ? 1 : -1;
}
