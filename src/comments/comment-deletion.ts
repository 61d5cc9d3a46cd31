import type { ObjectId } from 'mongodb';
import type { Comment } from './comment.schema.js';

export type DeletableComment = Pick<Comment, '_id' | 'postId' | 'parentId' | 'deletedAt' | 'isVisible' | 'removal'> & {
  stats: Pick<Comment['stats'], 'repliesCount'>;
};

export type CommentChange = { _id: ObjectId; isDeleted: boolean; isHidden: boolean; replies: number };

export type DeletionPlan = {
  /** net changes, one per row: marked as deleted, no longer visible, difference of repliesCount */
  changes: CommentChange[];
  postStats: Map<string, { commentsCount: number }>;
};

/** A removed comment is a tombstone that stays visible without replies, because it may be restored. */
function stateOf(row: DeletableComment) {
  const isDeleted = row.deletedAt !== null && row.removal === undefined;
  return { row, isDeleted, isVisible: row.isVisible, replies: row.stats.repliesCount };
}

/**
 * Plans deletions without breaking the tree. A comment with visible replies becomes a tombstone. A comment without visible replies is
 * hidden, together with its tombstone ancestors that have no other visible replies. Pure.
 * @param rows the comments to delete and all their ancestors, by hex id
 * @param root hidden despite visible replies, because the rest of its tree is being deleted too
 */
export function planDeletions(
  targets: ObjectId[],
  rows: ReadonlyMap<string, DeletableComment>,
  root?: ObjectId,
): DeletionPlan {
  const states = new Map([...rows].map(([key, row]) => [key, stateOf(row)]));
  const plan: DeletionPlan = { changes: [], postStats: new Map() };
  for (const target of targets) {
    let state = states.get(target.toHexString());
    if (state !== undefined && !state.isDeleted) {
      state.isDeleted = true;
      const isCounted = state.row.deletedAt === null;
      const postKey = state.row.postId.toHexString();
      if (isCounted)
        plan.postStats.set(postKey, { commentsCount: (plan.postStats.get(postKey)?.commentsCount ?? 0) - 1 });
    }
    while (state !== undefined && state.isDeleted && state.isVisible && (state.replies === 0 || target === root)) {
      state.isVisible = false;
      state = states.get(state.row.parentId?.toHexString() ?? '');
      if (state !== undefined) state.replies -= 1;
      if (state?.replies !== 0) break;
    }
  }

  for (const { row, isDeleted, isVisible, replies } of states.values()) {
    const change = {
      _id: row._id,
      isDeleted: isDeleted && !stateOf(row).isDeleted,
      isHidden: !isVisible && row.isVisible,
      replies: replies - row.stats.repliesCount,
    };
    if (change.isDeleted || change.isHidden || change.replies !== 0) plan.changes.push(change);
  }
  return plan;
}
