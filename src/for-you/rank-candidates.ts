import { namedValues } from '../common/named-values.js';
import type { FeedCandidate } from '../feed/feed-candidates.service.js';
import { scoreAgeDays, withDecay } from '../posts/score.js';

export const MAX_CANDIDATES = 500;
export const FEED_POST_LENGTH = 25;

/** Why a post is in the feed: the first reason that applies. */
export const REASONS = namedValues('ForYouReason', [
  'followed_author',
  'liked_by_followed',
  'followed_tag',
  'related',
  'popular',
]);
export type ForYouReason = (typeof REASONS)[number];

export type Ranked = { id: string; reason: ForYouReason };

/** What the feed of a reader depends on. Ids are hex. */
export type Reader = {
  /** weights; negative for what the reader wants less of */
  authors: ReadonlyMap<string, number>;
  tags: ReadonlyMap<string, number>;
  followedAuthors: ReadonlySet<string>;
  followedTags: ReadonlySet<string>;
  likedByFollowed: ReadonlySet<string>;
  related: ReadonlySet<string>;
};

/** In any run of this many posts, an author has at most MAX_OF_AUTHOR. */
const RUN = 20;
const MAX_OF_AUTHOR = 2;
const OF_FOLLOW = 2;
/** A weight of this size is half of the largest affinity, which is 1. */
const HALF = 4;
/** Keeps unwanted authors and tags in order at the end. */
const MIN_FACTOR = 0.05;

/** Returns the posts of a reader's feed, best first, without more posts of an author than a run may have. */
export function rankCandidates(candidates: readonly FeedCandidate[], reader: Reader, now: Date): Ranked[] {
  const sorted = candidates
    .map((post) => ({ post, authorId: post.authorId, score: scoreOf(post, reader, now) }))
    .sort((a, b) => b.score - a.score || (a.post.id < b.post.id ? 1 : -1));
  return spread(sorted).map(({ post }) => ({ id: post.id, reason: reasonOf(post, reader) }));
}

/** Returns a text with FEED_POST_LENGTH characters for each post: its id, and its reason as a digit. */
export function encodeFeed(posts: readonly Ranked[]): string {
  return posts.map(({ id, reason }) => `${id}${REASONS.indexOf(reason)}`).join('');
}

/** Returns at most `count` posts from a position. */
export function decodeFeed(feed: string, from: number, count: number): Ranked[] {
  const posts = feed.slice(FEED_POST_LENGTH * from, FEED_POST_LENGTH * (from + count)).match(/.{25}/g) ?? [];
  return posts.map((post) => ({ id: post.slice(0, 24), reason: REASONS[Number(post[24])]! }));
}

function reasonOf({ id, authorId, tags }: FeedCandidate, reader: Reader): ForYouReason {
  if (reader.followedAuthors.has(authorId)) return 'followed_author';
  if (reader.likedByFollowed.has(id)) return 'liked_by_followed';
  if (tags.some((tag) => reader.followedTags.has(tag))) return 'followed_tag';
  return reader.related.has(id) ? 'related' : 'popular';
}

/** The logarithm of the rank lets followed posts compete with the most popular ones. */
function scoreOf({ authorId, tags, top, createdAt }: FeedCandidate, reader: Reader, now: Date): number {
  const weigh = (key: string, weights: ReadonlyMap<string, number>, followed: ReadonlySet<string>): number =>
    (weights.get(key) ?? 0) + (followed.has(key) ? OF_FOLLOW : 0);
  const author = weigh(authorId, reader.authors, reader.followedAuthors);
  const ofTags = tags.reduce((sum, tag) => sum + weigh(tag, reader.tags, reader.followedTags), 0);
  const factor = Math.max(MIN_FACTOR, 1 + affinityOf(author) + affinityOf(ofTags));
  return withDecay(1 + Math.log1p(Math.max(0, top)), scoreAgeDays(createdAt, createdAt, now)) * factor;
}

/** Returns -1 to 1. */
function affinityOf(weight: number): number {
  return weight / (Math.abs(weight) + HALF);
}

/** Moves posts of an author down until the run before each has room. Ends when only authors without room are left. */
function spread<Post extends { authorId: string }>(sorted: readonly Post[]): Post[] {
  const rest = [...sorted];
  const posts: Post[] = [];
  const counts = new Map<string, number>();
  const count = ({ authorId }: Post, change: number): void => {
    counts.set(authorId, (counts.get(authorId) ?? 0) + change);
  };
  while (rest.length > 0) {
    const at = rest.findIndex(({ authorId }) => (counts.get(authorId) ?? 0) < MAX_OF_AUTHOR);
    if (at === -1) break;
    const [post] = rest.splice(at, 1) as [Post];
    count(post, 1);
    if (posts.push(post) >= RUN) count(posts[posts.length - RUN]!, -1);
  }
  return posts;
}
