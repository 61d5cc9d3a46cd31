import { type Binary, ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { pairId } from '../common/pair-id.js';
import type { ViewerClaims } from '../platform/access/viewer.js';
import { canRead, postNotFound, type PostVisibility } from '../posts/visibility.js';
import type { CollectionItem } from './collection-item.schema.js';
import { type CollectionKind, MAX_ITEMS } from './collection-rules.js';
import { ItemOrder } from './item-order.js';
import { type CollectionVisibility, requireOwn } from './visibility.js';

/** A change of one post in one collection. `before` and `after` are posts of the collection; all ids are hex. */
export type ItemWrite = { viewer: ViewerClaims; collectionId: string; postId: string } & (
  | {
      kind: 'put';
      note?: string | null | undefined;
      before?: string | undefined;
      after?: string | undefined;
      /** removes the post if the collection contains it */
      isToggle?: boolean;
    }
  | { kind: 'remove' }
);

/**
 * The state after this item's change and before later items of the batch.
 * @field position 1-based; 0 if removed
 * @field postsCount number of public posts
 */
export type ItemResult = { position: number; postsCount: number };

/** Current rows, by hex id. */
export type CurrentState = {
  collections: ReadonlyMap<string, CollectionVisibility & { kind: CollectionKind; stats: { postsCount: number } }>;
  posts: ReadonlyMap<string, PostVisibility>;
  /** the items of each collection, in order */
  orders: ReadonlyMap<string, readonly { postId: string; position: string }[]>;
  /** hex keys of the items to remove whose post is not counted */
  uncounted: ReadonlySet<string>;
  /** post -> its series, if not deleted */
  series: ReadonlyMap<string, string>;
};

export type ItemUpdate = { _id: Binary } & Partial<Pick<CollectionItem, 'position' | 'note' | 'addedAt'>>;

/** The net effect of a batch. Writes each row and each counter at most once. */
export type ItemPlan = {
  results: (ItemResult | Error)[];
  inserts: CollectionItem[];
  updates: ItemUpdate[];
  deletes: Binary[];
  stats: Map<string, { postsCount: number }>;
  /** collections whose positions were reassigned */
  dealt: string[];
  /** post -> its new series */
  series: Map<string, string | null>;
};

/** Folds the items, in order, into their net effect. Pure. */
export function planItems(items: ItemWrite[], state: CurrentState, now: Date): ItemPlan {
  const drafts = new Map<string, ItemOrder>();
  const counts = new Map<string, number>();
  const series = new Map<string, string | null>();
  /** A stored item counts if its row is listed, a new item if its post is listed. */
  const isCounted = (draft: ItemOrder, collectionId: string, postId: string): boolean =>
    draft.stored.has(postId) ? !state.uncounted.has(collectionId + postId) : state.posts.get(postId)!.isListed;

  const apply = (item: ItemWrite): ItemResult => {
    const { viewer, collectionId, postId } = item;
    const { kind, stats } = requireOwn(state.collections.get(collectionId), viewer);
    const count = (difference = 0): number => {
      const postsCount = (counts.get(collectionId) ?? stats.postsCount) + difference;
      counts.set(collectionId, postsCount);
      return postsCount;
    };
    let draft = drafts.get(collectionId);
    if (draft === undefined) drafts.set(collectionId, (draft = new ItemOrder(state.orders.get(collectionId) ?? [])));
    const isNew = !draft.has(postId);
    if (item.kind === 'remove' || (item.isToggle === true && !isNew)) {
      draft.remove(postId);
      if (kind === 'series' && !isNew) series.set(postId, null);
      return { position: 0, postsCount: count(isNew || !isCounted(draft, collectionId, postId) ? 0 : -1) };
    }
    if (isNew) {
      const post = state.posts.get(postId);
      if (!canRead(post, viewer.id)) throw postNotFound();
      if (kind === 'series') {
        requireOwnPost(post, viewer);
        const held = series.has(postId) ? series.get(postId) : state.series.get(postId);
        if (typeof held === 'string' && held !== collectionId) throw inOtherSeries();
      }
      if (draft.size >= MAX_ITEMS) throw collectionFull();
    }
    const position = draft.put(postId, item, now);
    if (kind === 'series' && isNew) series.set(postId, collectionId);
    return { position, postsCount: count(isNew && isCounted(draft, collectionId, postId) ? 1 : 0) };
  };

  const results = items.map((item): ItemResult | Error => {
    try {
      return apply(item);
    } catch (error) {
      if (error instanceof CodedError) return error;
      throw error;
    }
  });
  const plan: ItemPlan = {
    ...{ results, series, inserts: [], updates: [], deletes: [] },
    ...{ stats: new Map(), dealt: [] },
  };
  for (const [collectionId, draft] of drafts) addChanges(plan, collectionId, draft, state.posts);
  for (const [collectionId, postsCount] of counts) {
    const difference = postsCount - state.collections.get(collectionId)!.stats.postsCount;
    if (difference !== 0) plan.stats.set(collectionId, { postsCount: difference });
  }
  return plan;
}

function addChanges(plan: ItemPlan, hex: string, draft: ItemOrder, posts: CurrentState['posts']): void {
  const collectionId = ObjectId.createFromHexString(hex);
  if (draft.isRebalanced) plan.dealt.push(hex);
  for (const post of draft.stored.keys())
    if (!draft.has(post)) plan.deletes.push(pairId(collectionId, ObjectId.createFromHexString(post)));
  for (const [post, { position, note, addedAt }] of draft.entries()) {
    const postId = ObjectId.createFromHexString(post);
    const _id = pairId(collectionId, postId);
    const stored = draft.stored.get(post);
    if (stored === undefined) {
      const { isListed } = posts.get(post)!;
      plan.inserts.push({ _id, collectionId, postId, position, isListed, note: note ?? null, addedAt: addedAt! });
      continue;
    }
    const update: ItemUpdate = { _id };
    if (position !== stored) update.position = position;
    if (note !== undefined) update.note = note;
    if (addedAt !== undefined) update.addedAt = addedAt;
    if (Object.keys(update).length > 1) plan.updates.push(update);
  }
}

function requireOwnPost(post: PostVisibility, viewer: ViewerClaims): void {
  if (!post.authorId.equals(viewer.id))
    throw new CodedError('forbidden', 'A series contains only posts of its owner. Use a list for posts of others.');
}

function inOtherSeries(): CodedError {
  return new CodedError('post_in_other_series', 'A post can be in one series. Remove it from the other one first.');
}

function collectionFull(): CodedError {
  return new CodedError('collection_full', `A collection has at most ${MAX_ITEMS} posts. Remove one first.`);
}
