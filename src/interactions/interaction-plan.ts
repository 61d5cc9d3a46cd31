import { type Binary, ObjectId } from 'mongodb';
import { interactionId } from './interaction-id.js';
import { commentNotFound, isLive } from '../comments/visibility.js';
import { canRead, postNotFound, type PostVisibility } from '../posts/visibility.js';
import type { InteractionRow, TargetModel, VoteValue } from './interaction.schema.js';

/** What one caller wants to hold: a vote (or none), a saved post (or not). */
export type InteractionItem = { userId: ObjectId; targetId: ObjectId } & (
  | { kind: 'vote'; targetModel: TargetModel; value: VoteValue | null }
  | { kind: 'save'; targetModel: 'Post'; isSaved: boolean }
);

export type VoteCounts = { likesCount: number; dislikesCount: number };

/** The state and the counts as they are right after this caller's change, in the batch's serial order. */
export type InteractionResult =
  { kind: 'vote'; value: VoteValue | null; stats: VoteCounts } | { kind: 'save'; savedAt: Date | null };

/** What the plan must know of a post; PostsService.findTargets gives it. */
export type PlannedPost = PostVisibility & { stats: VoteCounts };

/** What the plan must know of a comment; CommentsService.findTargets gives it. */
export type PlannedComment = { postId: ObjectId; deletedAt: Date | null; isVisible: boolean; stats: VoteCounts };

/** What the plan must know of a row. */
export type HeldInteraction = Pick<InteractionRow, '_id' | 'value' | 'createdAt'>;

/** Current rows, by hex id; what is missing does not exist. */
export type CurrentState = {
  rows: Map<string, HeldInteraction>;
  posts: Map<string, PlannedPost>;
  comments: Map<string, PlannedComment>;
};

/** The net effect of a batch: each row written at most once, each counter moved at most once, nothing that cancels out. */
export type InteractionPlan = {
  results: (InteractionResult | Error)[];
  inserts: InteractionRow[];
  updates: { _id: Binary; value: VoteValue | null }[];
  deletes: Binary[];
  postStats: Map<string, VoteCounts>;
  commentStats: Map<string, VoteCounts>;
  /** by author; only listed posts count towards what their author received */
  userStats: Map<string, { likesReceivedCount: number }>;
};

type Slot = { item: InteractionItem; before: HeldInteraction | undefined; after: HeldInteraction | undefined };

/**
 * Folds the items, in order, into their net effect. Pure. Anybody may vote on and save what they may read, their own posts
 * included; what they may not read does not exist for them.
 */
export function planInteractions(items: InteractionItem[], state: CurrentState, now: Date): InteractionPlan {
  const slots = new Map<string, Slot>();
  const tallies = new Map<string, { targetModel: TargetModel; counts: VoteCounts; before: VoteCounts }>();

  const results = items.map((item): InteractionResult | Error => {
    const targetKey = item.targetId.toHexString();
    const target = readableTarget(item, targetKey, state);
    if (target instanceof Error) return target;

    const _id = interactionId(item.userId, item.kind, item.targetId);
    const key = _id.toString('hex');
    let slot = slots.get(key);
    if (slot === undefined) {
      const before = state.rows.get(key);
      slots.set(key, (slot = { item, before, after: before }));
    }
    const value = item.kind === 'vote' ? item.value : null;
    const isHeld = item.kind === 'vote' ? item.value !== null : item.isSaved;
    const had = slot.after?.value ?? null;
    if (!isHeld) {
      slot.after = undefined;
    } else if (slot.after === undefined) {
      // taken back and given again within one batch is no change: the row keeps its place
      slot.after = slot.before === undefined ? { _id, value, createdAt: now } : { ...slot.before, value };
    } else if (slot.after.value !== value) {
      slot.after = { ...slot.after, value };
    }
    if (item.kind === 'save') {
      return { kind: 'save', savedAt: slot.after?.createdAt ?? null };
    }

    let tally = tallies.get(targetKey);
    if (tally === undefined) {
      const { likesCount, dislikesCount } = target.stats;
      const before = { likesCount, dislikesCount };
      tallies.set(targetKey, (tally = { targetModel: item.targetModel, counts: { ...before }, before }));
    }
    tally.counts.likesCount += Number(value === 'like') - Number(had === 'like');
    tally.counts.dislikesCount += Number(value === 'dislike') - Number(had === 'dislike');
    return { kind: 'vote', value, stats: { ...tally.counts } };
  });

  const plan: InteractionPlan = { results, ...netRows(slots.values()), ...emptyStats() };
  for (const [targetKey, { targetModel, counts, before }] of tallies) {
    const likesCount = counts.likesCount - before.likesCount;
    const dislikesCount = counts.dislikesCount - before.dislikesCount;
    if (likesCount === 0 && dislikesCount === 0) continue;
    (targetModel === 'Post' ? plan.postStats : plan.commentStats).set(targetKey, { likesCount, dislikesCount });
    const post = targetModel === 'Post' ? state.posts.get(targetKey)! : undefined;
    if (post === undefined || !post.isListed || likesCount === 0) continue;
    const author = post.authorId.toHexString();
    const received = plan.userStats.get(author)?.likesReceivedCount ?? 0;
    plan.userStats.set(author, { likesReceivedCount: received + likesCount });
  }
  for (const [author, { likesReceivedCount }] of plan.userStats) {
    if (likesReceivedCount === 0) plan.userStats.delete(author);
  }
  return plan;
}

function readableTarget(item: InteractionItem, key: string, state: CurrentState): { stats: VoteCounts } | Error {
  if (item.targetModel === 'Post') {
    const post = state.posts.get(key);
    return canRead(post, item.userId) ? post : postNotFound();
  }
  const comment = state.comments.get(key);
  if (!isLive(comment)) return commentNotFound();
  return canRead(state.posts.get(comment.postId.toHexString()), item.userId) ? comment : commentNotFound();
}

function netRows(slots: Iterable<Slot>): Pick<InteractionPlan, 'inserts' | 'updates' | 'deletes'> {
  const inserts: InteractionRow[] = [];
  const updates: { _id: Binary; value: VoteValue | null }[] = [];
  const deletes: Binary[] = [];
  for (const { item, before, after } of slots) {
    if (before === undefined && after !== undefined) inserts.push(toRow(item, after));
    else if (before !== undefined && after === undefined) deletes.push(before._id);
    else if (before !== undefined && after !== undefined && before.value !== after.value)
      updates.push({ _id: before._id, value: after.value });
  }
  return { inserts, updates, deletes };
}

function toRow({ userId, targetModel, targetId, kind }: InteractionItem, held: HeldInteraction): InteractionRow {
  const { _id, value, createdAt } = held;
  return { _id, userId, targetModel, targetId, kind, value, seq: new ObjectId(), createdAt, updatedAt: createdAt };
}

function emptyStats(): Pick<InteractionPlan, 'postStats' | 'commentStats' | 'userStats'> {
  return { postStats: new Map(), commentStats: new Map(), userStats: new Map() };
}
