import { DAY } from './clock.js';
import { type AudienceDay, audienceDays } from './audience-plan.js';
import type { FollowsPlan } from './follows-plan.js';
import type { PostsPlan } from './posts-plan.js';

/** One day of an author: a row of `author_days`. */
export interface PlannedAuthorDay extends AudienceDay {
  follows: number;
  /** views of each post */
  posts: Map<number, number>;
}

/** Returns the sums of all posts of an author, and the new followers, by day. */
export function authorDays(plan: AuthorDaysSource, user: number): PlannedAuthorDay[] {
  const days = new Map<number, PlannedAuthorDay>();
  const at = (day: number): PlannedAuthorDay => {
    const none = { day, views: 0, reads: 0, shares: 0, likes: 0, comments: 0, follows: 0, posts: new Map() };
    const row = days.get(day) ?? none;
    days.set(day, row);
    return row;
  };
  const { posts, postsByAuthor, firstPost, follows, followsOf, now } = plan;
  for (const post of postsByAuthor.subarray(firstPost[user], firstPost[user + 1])) {
    for (const { day, ...counts } of audienceDays(posts, post, now)) {
      const sum = at(day);
      for (const [name, count] of Object.entries(counts)) sum[name as keyof typeof counts] += count;
      if (counts.views > 0) sum.posts.set(post, counts.views);
    }
  }
  for (const row of followsOf.get(user) ?? []) at(Math.floor(follows.since[row]! / DAY)).follows++;
  return [...days.values()].sort((a, b) => a.day - b.day);
}

/** The parts of a plan. */
export interface AuthorDaysSource {
  now: number;
  posts: PostsPlan;
  follows: FollowsPlan;
  postsByAuthor: Uint32Array;
  firstPost: Uint32Array;
  followsOf: Map<number, number[]>;
}

export function countAuthorDays(plan: AuthorDaysSource): number {
  let rows = 0;
  for (let user = 0; user < plan.firstPost.length - 1; user++) rows += authorDays(plan, user).length;
  return rows;
}
