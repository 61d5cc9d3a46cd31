import type { ObjectId } from 'mongodb';
import type { VoteCounts } from './interaction-plan.js';
import type { InteractionRow } from './interaction.schema.js';

export type RemovalStats = {
  postStats: Map<string, VoteCounts>;
  commentStats: Map<string, VoteCounts>;
  userStats: Map<string, { likesReceivedCount: number }>;
};

/**
 * The counters that fall with these rows. Pure.
 * @param posts of the votes among the rows, by hex id; only listed ones count towards what their author received
 */
export function planRemoval(
  rows: InteractionRow[],
  posts: ReadonlyMap<string, { authorId: ObjectId; isListed: boolean }>,
): RemovalStats {
  const stats: RemovalStats = { postStats: new Map(), commentStats: new Map(), userStats: new Map() };
  for (const { kind, value, targetModel, targetId } of rows) {
    if (kind !== 'vote') continue;
    const key = targetId.toHexString();
    const targets = targetModel === 'Post' ? stats.postStats : stats.commentStats;
    const counts = targets.get(key) ?? { likesCount: 0, dislikesCount: 0 };
    counts[value === 'like' ? 'likesCount' : 'dislikesCount'] -= 1;
    targets.set(key, counts);
    const post = targetModel === 'Post' ? posts.get(key) : undefined;
    if (post === undefined || !post.isListed || value !== 'like') continue;
    const author = post.authorId.toHexString();
    const received = stats.userStats.get(author)?.likesReceivedCount ?? 0;
    stats.userStats.set(author, { likesReceivedCount: received - 1 });
  }
  return stats;
}
