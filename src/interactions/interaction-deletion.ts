import type { ObjectId } from 'mongodb';
import type { VISITOR_VOTES } from '../posts/score.js';
import type { CollectionCounts } from './interaction-plan.js';
import type { Interaction } from './interaction.schema.js';

type Differences = Partial<CollectionCounts & Record<(typeof VISITOR_VOTES)[number], number>>;

export type DeletionStats = {
  postStats: Map<string, Differences>;
  commentStats: Map<string, Differences>;
  collectionStats: Map<string, Differences>;
  /** likes received by author */
  likesReceived: Map<string, number>;
};

/**
 * Returns the counter changes of deleting these rows. Pure.
 * @param posts targets of the votes, by hex id; only listed posts count towards their author's received likes
 */
export function planDeletion(
  rows: Interaction[],
  posts: ReadonlyMap<string, { authorId: ObjectId; isListed: boolean }>,
): DeletionStats {
  const stats: DeletionStats = {
    postStats: new Map(),
    commentStats: new Map(),
    collectionStats: new Map(),
    likesReceived: new Map(),
  };
  const statsOf = { Post: stats.postStats, Comment: stats.commentStats, Collection: stats.collectionStats };
  for (const { kind, value, isVisitor, targetModel, targetId } of rows) {
    if (kind === 'save' || kind === 'hide') continue;
    const key = targetId.toHexString();
    const counter = kind === 'follow' ? 'followersCount' : value === 'like' ? 'likesCount' : 'dislikesCount';
    const counts = statsOf[targetModel].get(key) ?? {};
    counts[counter] = (counts[counter] ?? 0) - 1;
    if (isVisitor === true) {
      const ofVisitors = value === 'like' ? 'visitorLikes' : 'visitorDislikes';
      counts[ofVisitors] = (counts[ofVisitors] ?? 0) - 1;
    }
    statsOf[targetModel].set(key, counts);
    const post = targetModel === 'Post' ? posts.get(key) : undefined;
    if (post === undefined || !post.isListed || value !== 'like') continue;
    const author = post.authorId.toHexString();
    stats.likesReceived.set(author, (stats.likesReceived.get(author) ?? 0) - 1);
  }
  return stats;
}
