export const POST_COUNTERS = [
  'viewsCount',
  'readsCount',
  'likesCount',
  'dislikesCount',
  'sharesCount',
  'commentsCount',
] as const;

export type PostStats = Record<(typeof POST_COUNTERS)[number], number>;

export function ofEachCounter<Value>(value: Value): Record<keyof PostStats, Value> {
  return Object.fromEntries(POST_COUNTERS.map((counter) => [counter, value])) as Record<keyof PostStats, Value>;
}

/** The part of `stats` from visitors and unverified accounts, which pages show and the score ignores. */
export type VisitorStats = { reads: number; shares: number; likes: number; dislikes: number };

export const POSTS = 'posts';
