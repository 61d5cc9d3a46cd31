import { type Binary, ObjectId } from 'mongodb';
import { blocked, type BlockedPairs } from '../blocks/blocked-pairs.js';
import {
  canRead as canReadCollection,
  collectionNotFound,
  type CollectionVisibility,
} from '../collections/visibility.js';
import { commentNotFound, isLive } from '../comments/visibility.js';
import { canRead, postNotFound, type PostVisibility } from '../posts/visibility.js';
import type { VISITOR_VOTES } from '../posts/score.js';
import { interactionId } from './interaction-id.js';
import type { Interaction, TargetModel } from './interaction.schema.js';
import type { VoteValue } from './vote-value.js';

/**
 * The requested state: a vote or none, a post saved or not, a collection followed or not.
 * @field isToggle removes the vote, save or follow if it already exists
 */
export type InteractionItem = { userId: ObjectId; targetId: ObjectId; isToggle?: boolean } & (
  | { kind: 'vote'; targetModel: TargetModel; value: VoteValue | null; isVisitor?: boolean }
  | { kind: 'save'; targetModel: 'Post'; isSaved: boolean }
  | { kind: 'follow'; targetModel: 'Collection'; isFollowing: boolean }
);

export type VoteCounts = { likesCount: number; dislikesCount: number };
export type CollectionCounts = VoteCounts & { followersCount: number };

/** The effect of a toggle. */
export type Transition = 'recorded' | 'removed' | 'switched';

/** The state and the counters after this item and before later items. `stats` is null for a target that the caller may not read. */
export type InteractionResult = { transition?: Transition } & (
  | { kind: 'vote'; value: VoteValue | null; stats: VoteCounts | null }
  | { kind: 'save'; savedAt: Date | null }
  | { kind: 'follow'; isFollowing: boolean; followersCount: number | null }
);

/** Fields of a post that the plan needs, from PostsService.findTargets. */
export type PlannedPost = PostVisibility & { stats: VoteCounts };

/** Fields of a comment that the plan needs, from CommentsService.findTargets. */
export type PlannedComment = {
  postId: ObjectId;
  authorId: ObjectId;
  deletedAt: Date | null;
  isVisible: boolean;
  stats: VoteCounts;
};

/** Fields of a collection that the plan needs, from CollectionsService.findTargets. */
export type PlannedCollection = CollectionVisibility & { stats: CollectionCounts };

/** Fields of an existing row that the plan needs. */
export type ExistingInteraction = Pick<Interaction, '_id' | 'targetModel' | 'value' | 'isVisitor' | 'createdAt'>;

/** The targets of a batch by hex id. */
export type Targets = {
  posts: Map<string, PlannedPost>;
  comments: Map<string, PlannedComment>;
  collections: Map<string, PlannedCollection>;
};

/** Existing rows by hex id. */
export type CurrentState = Targets & { rows: Map<string, ExistingInteraction>; blocked: BlockedPairs };

type VoteUpdate = Pick<Interaction, '_id' | 'value' | 'isVisitor'>;
/** Counter differences of a post. Counters of unverified votes are absent if they do not change. */
type PostDifferences = VoteCounts & Partial<Record<(typeof VISITOR_VOTES)[number], number>>;

/** The net effect of a batch: at most one write per row and per counter. Changes that cancel out are omitted. */
export type InteractionPlan = {
  results: (InteractionResult | Error)[];
  inserts: Interaction[];
  updates: VoteUpdate[];
  deletes: Binary[];
  postStats: Map<string, PostDifferences>;
  commentStats: Map<string, VoteCounts>;
  collectionStats: Map<string, CollectionCounts>;
  /** likes received by author; only listed posts count */
  likesReceived: Map<string, number>;
};

type Target = { stats: VoteCounts & Partial<CollectionCounts> };
type Tally = {
  targetModel: TargetModel;
  counts: CollectionCounts;
  before: CollectionCounts;
  visitorLikes: number;
  visitorDislikes: number;
};

type Slot = { item: InteractionItem; before: ExistingInteraction | undefined; after: ExistingInteraction | undefined };

/**
 * Folds the items, in order, into their net effect. Pure. Accounts may interact with all content that they may read, including their own.
 * Removing requires no readable target: hidden, deleted and unknown targets get the same response.
 */
export function planInteractions(items: InteractionItem[], state: CurrentState, now: Date): InteractionPlan {
  const slots = new Map<string, Slot>();
  const tallies = new Map<string, Tally>();

  const results = items.map((given): InteractionResult | Error => {
    const targetKey = given.targetId.toHexString();
    const _id = interactionId(given.userId, given.kind, given.targetId);
    const key = _id.toString('hex');
    let slot = slots.get(key);
    const found = slot === undefined ? state.rows.get(key) : slot.after;
    // The key has no model: a vote on a post must survive a removal through the route of a comment or collection.
    const previous = found?.targetModel === given.targetModel ? found : undefined;
    const item = given.isToggle === true ? toggled(given, previous) : given;
    const { target, accessError } = targetOf(item, targetKey, state);
    if (accessError !== null && isWanted(item)) return accessError;
    const reached = isWanted(item) ? reachedBy(item, state) : undefined;
    if (reached !== undefined && state.blocked.has(item.userId, reached)) return blocked();

    if (found !== previous) return { kind: 'vote', value: null, stats: null };
    if (slot === undefined) {
      const before = state.rows.get(key);
      slots.set(key, (slot = { item, before, after: before }));
    }
    const { targetModel } = item;
    const value = item.kind === 'vote' ? item.value : null;
    const exists = isWanted(item);
    const change = given.isToggle === true ? { transition: transitionOf(previous, exists) } : {};
    // A verified vote stays verified, because the token may have been issued before the verification.
    const isVisitor =
      item.kind === 'vote' && item.isVisitor === true && (previous === undefined || previous.isVisitor === true);
    const weight = isVisitor ? { isVisitor } : {};
    if (!exists) {
      slot.after = undefined;
    } else if (slot.after === undefined) {
      // Removing and adding again within a batch changes nothing, so the row stays at its position.
      slot.after = { _id, targetModel, value, createdAt: slot.before?.createdAt ?? now, ...weight };
    } else if (slot.after.value !== value || slot.after.isVisitor !== weight.isVisitor) {
      slot.after = { _id, targetModel, value, createdAt: slot.after.createdAt, ...weight };
    }
    if (item.kind === 'save') {
      return { kind: 'save', savedAt: slot.after?.createdAt ?? null, ...change };
    }

    let tally = tallies.get(targetKey);
    if (tally === undefined && target !== undefined) {
      const { likesCount, dislikesCount, followersCount = 0 } = target.stats;
      const before = { likesCount, dislikesCount, followersCount };
      const none = { visitorLikes: 0, visitorDislikes: 0 };
      tallies.set(targetKey, (tally = { targetModel: item.targetModel, counts: { ...before }, before, ...none }));
    }
    const counts = tally?.counts ?? { likesCount: 0, dislikesCount: 0, followersCount: 0 };
    if (item.kind === 'follow') {
      counts.followersCount += Number(exists) - Number(previous !== undefined);
      const followersCount = accessError === null ? counts.followersCount : null;
      return { kind: 'follow', isFollowing: exists, followersCount, ...change };
    }
    counts.likesCount += Number(value === 'like') - Number(previous?.value === 'like');
    counts.dislikesCount += Number(value === 'dislike') - Number(previous?.value === 'dislike');
    if (tally !== undefined) {
      tally.visitorLikes +=
        Number(isVisitor && value === 'like') - Number(previous?.isVisitor === true && previous.value === 'like');
      tally.visitorDislikes +=
        Number(isVisitor && value === 'dislike') - Number(previous?.isVisitor === true && previous.value === 'dislike');
    }
    const { likesCount, dislikesCount } = counts;
    return { kind: 'vote', value, stats: accessError === null ? { likesCount, dislikesCount } : null, ...change };
  });

  const plan: InteractionPlan = { results, ...netRows(slots.values()), ...emptyStats() };
  for (const [targetKey, { targetModel, counts, before, visitorLikes, visitorDislikes }] of tallies) {
    const likesCount = counts.likesCount - before.likesCount;
    const dislikesCount = counts.dislikesCount - before.dislikesCount;
    const followersCount = counts.followersCount - before.followersCount;
    const isWeighed = visitorLikes !== 0 || visitorDislikes !== 0;
    if (likesCount === 0 && dislikesCount === 0 && followersCount === 0 && !isWeighed) continue;
    if (targetModel === 'Collection')
      plan.collectionStats.set(targetKey, { likesCount, dislikesCount, followersCount });
    if (targetModel === 'Comment') plan.commentStats.set(targetKey, { likesCount, dislikesCount });
    if (targetModel !== 'Post') continue;
    const ofVisitors = isWeighed ? { visitorLikes, visitorDislikes } : {};
    plan.postStats.set(targetKey, { likesCount, dislikesCount, ...ofVisitors });
    const post = state.posts.get(targetKey)!;
    if (!post.isListed || likesCount === 0) continue;
    const author = post.authorId.toHexString();
    plan.likesReceived.set(author, (plan.likesReceived.get(author) ?? 0) + likesCount);
  }
  return plan;
}

/** Resolves a toggle to the requested state, depending on the existing row. */
function toggled(item: InteractionItem, previous: ExistingInteraction | undefined): InteractionItem {
  if (item.kind === 'vote') return { ...item, value: previous?.value === item.value ? null : item.value };
  return item.kind === 'save'
    ? { ...item, isSaved: previous === undefined }
    : { ...item, isFollowing: previous === undefined };
}

function transitionOf(previous: ExistingInteraction | undefined, exists: boolean): Transition {
  if (previous === undefined) return 'recorded';
  return exists ? 'switched' : 'removed';
}

/** Whether the item requests a vote, save or follow. A toggle may also remove one. */
export function isWanted(item: InteractionItem): boolean {
  if (item.kind === 'vote') return item.value !== null;
  return item.kind === 'save' ? item.isSaved : item.isFollowing;
}

/** Returns the account that a vote or follow reaches; undefined for an unknown target, and for a save, which only its owner sees. */
export function reachedBy({ kind, targetModel, targetId }: InteractionItem, targets: Targets): ObjectId | undefined {
  if (kind === 'save') return undefined;
  const key = targetId.toHexString();
  if (targetModel === 'Collection') return targets.collections.get(key)?.ownerId;
  return (targetModel === 'Post' ? targets.posts : targets.comments).get(key)?.authorId;
}

/** Returns the target if it exists, and the error if the caller may not interact with it. */
function targetOf(
  item: InteractionItem,
  key: string,
  state: CurrentState,
): { target: Target | undefined; accessError: Error | null } {
  if (item.targetModel === 'Collection') {
    const target = state.collections.get(key);
    return { target, accessError: canReadCollection(target, item.userId) ? null : collectionNotFound() };
  }
  if (item.targetModel === 'Post') {
    const target = state.posts.get(key);
    return { target, accessError: canRead(target, item.userId) ? null : postNotFound() };
  }
  const target = state.comments.get(key);
  const isReadable = isLive(target) && canRead(state.posts.get(target.postId.toHexString()), item.userId);
  return { target, accessError: isReadable ? null : commentNotFound() };
}

function netRows(slots: Iterable<Slot>): Pick<InteractionPlan, 'inserts' | 'updates' | 'deletes'> {
  const inserts: Interaction[] = [];
  const updates: VoteUpdate[] = [];
  const deletes: Binary[] = [];
  for (const { item, before, after } of slots) {
    if (before === undefined && after !== undefined) inserts.push(toRow(item, after));
    else if (before !== undefined && after === undefined) deletes.push(before._id);
    else if (before !== undefined && after !== undefined && !isSame(before, after))
      updates.push({ _id: before._id, value: after.value, ...(after.isVisitor ? { isVisitor: true } : {}) });
  }
  return { inserts, updates, deletes };
}

function isSame(before: ExistingInteraction, after: ExistingInteraction): boolean {
  return before.value === after.value && before.isVisitor === after.isVisitor;
}

function toRow({ userId, targetId, kind }: InteractionItem, existing: ExistingInteraction): Interaction {
  const { createdAt } = existing;
  return { ...existing, userId, targetId, kind, seq: new ObjectId(), updatedAt: createdAt };
}

function emptyStats(): Pick<InteractionPlan, 'postStats' | 'commentStats' | 'collectionStats' | 'likesReceived'> {
  return { postStats: new Map(), commentStats: new Map(), collectionStats: new Map(), likesReceived: new Map() };
}
