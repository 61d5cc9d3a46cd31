import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import { ActivityService } from '../activity/activity.service.js';
import { pairId } from '../common/pair-id.js';
import type { IsDisconnected } from '../common/client-disconnected.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { HostWriter, type Submit } from '../platform/cluster/writer/host-writer.js';
import { byIds, type UpdateStatement } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { PostCollectionSchema } from './collection.schema.js';
import {
  type CollectionItem,
  CollectionItemSchema,
  type PostSeries,
  PostSeriesSchema,
} from './collection-item.schema.js';
import { MAX_ITEMS } from './collection-rules.js';
import { tagOf } from './collection-tags.js';
import { COLLECTIONS_CHANGED } from './collections.events.js';
import { CollectionsService, type CollectionTarget } from './collections.service.js';
import { type ItemWrite, type CurrentState, type ItemPlan, type ItemResult, planItems } from './item-plan.js';

/** A batch reads at most 500 index entries for each of its collections, and has at most this many collections. */
const LARGEST_BATCH = 100;

type OrderRow = Pick<CollectionItem, '_id' | 'position'>;

/** Commits added, moved and removed posts of this host in groups: rows and counts in one transaction. */
@Injectable()
export class ItemWriterService {
  private readonly enqueue: Submit<ItemWrite, ItemResult>;
  private readonly items: Collection<CollectionItem>;
  private readonly series: Collection<PostSeries>;

  constructor(
    private readonly mongo: MongoService,
    private readonly collections: CollectionsService,
    private readonly posts: PostsService,
    private readonly activity: ActivityService,
    private readonly cache: ResponseCache,
    writer: HostWriter,
  ) {
    this.items = mongo.collection(CollectionItemSchema);
    this.series = mongo.collection(PostSeriesSchema);
    this.enqueue = writer.group({
      name: 'collections',
      maxBatch: LARGEST_BATCH,
      commit: (items) => this.commit(items),
    });
  }

  async submit(item: ItemWrite, isDisconnected?: IsDisconnected): Promise<ItemResult> {
    const result = await this.enqueue(item, isDisconnected);
    // Invalidates before responding, because another process may have committed.
    this.cache.invalidateLocally([tagOf(item.collectionId)]);
    return result;
  }

  private commit(items: ItemWrite[]): Promise<(ItemResult | Error)[]> {
    return this.mongo.transaction(async (tx) => {
      const state = await this.read(items, tx);
      const plan = planItems(items, state, new Date());
      const ownerOf = (id: ObjectId): ObjectId => state.collections.get(id.toHexString())!.ownerId;
      const changed = uniqueIds((await this.write(plan, tx)).map(firstHexOf));
      if (changed.length > 0)
        await tx.runHooks(
          COLLECTIONS_CHANGED,
          changed.map((_id) => ({ _id, ownerId: ownerOf(_id) })),
        );
      await this.activity.add(
        tx,
        plan.inserts.map(({ collectionId, postId }) => {
          return { kind: 'item', actor: ownerOf(collectionId), target: postId, second: collectionId };
        }),
      );
      return plan.results;
    });
  }

  private async read(items: ItemWrite[], tx: Transaction): Promise<CurrentState> {
    const collectionIds = uniqueIds(items.map(({ collectionId }) => collectionId));
    const postIds = uniqueIds(items.flatMap((item) => (item.kind === 'put' ? [item.postId] : [])));
    const count = MAX_ITEMS * collectionIds.length;
    const ofThese = { collectionId: { $in: collectionIds } };
    const removed = items.flatMap((item) => (item.kind === 'remove' || item.isToggle === true ? [keyOf(item)] : []));
    const [collections, posts, rows, uncounted] = await Promise.all([
      this.collections.findTargets(collectionIds, tx),
      this.posts.findTargets(postIds, tx),
      tx.find<OrderRow>(this.items, ofThese, { position: 1 }, count),
      this.findUncounted(removed, tx),
    ]);
    const hasSeries = [...collections.values()].some(({ kind }) => kind === 'series');
    return {
      collections,
      posts,
      orders: ordersOf(rows),
      uncounted,
      series: hasSeries ? await this.findSeries(postIds, collections, tx) : new Map(),
    };
  }

  private async findUncounted(keys: CollectionItem['_id'][], tx: Transaction): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const filter = { ...byIds(keys), isListed: false };
    const rows = await tx.find<Pick<CollectionItem, '_id'>>(this.items, filter, { _id: 1 }, keys.length);
    return new Set(rows.map(({ _id }) => _id.toString('hex')));
  }

  /** Ignores rows of a deleted series that the cleanup has not deleted yet. */
  private async findSeries(
    postIds: ObjectId[],
    known: ReadonlyMap<string, CollectionTarget>,
    tx: Transaction,
  ): Promise<Map<string, string>> {
    if (postIds.length === 0) return new Map();
    const rows = await tx.find<PostSeries>(this.series, byIds(postIds), { collectionId: 1 }, postIds.length);
    const others = uniqueIds(rows.map(({ collectionId }) => collectionId.toHexString()).filter((id) => !known.has(id)));
    const all = new Map([...known, ...(await this.collections.findTargets(others, tx))]);
    return new Map(
      rows.flatMap(({ _id, collectionId }) => {
        const hex = collectionId.toHexString();
        return all.get(hex)?.deletedAt === null ? [[_id.toHexString(), hex] as const] : [];
      }),
    );
  }

  /** Returns the keys of changed rows. */
  private async write(plan: ItemPlan, tx: Transaction): Promise<CollectionItem['_id'][]> {
    const { inserts, updates, deletes, stats, dealt } = plan;
    const changed = [...inserts, ...updates].map(({ _id }) => _id).concat(deletes);
    if (changed.length === 0) return changed;
    const taken = [...plan.series].filter((entry): entry is [string, string] => entry[1] !== null);
    const left = [...plan.series].flatMap(([post, series]) => (series === null ? [new ObjectId(post)] : []));
    tx.invalidate(changed.map((_id) => tagOf(firstHexOf(_id))));
    await Promise.all([
      // Runs first, so that two hosts that change one collection conflict before writing rows.
      this.collections.applyStats(stats, tx),
      tx.update(this.mongo.collection(PostCollectionSchema), dealt.map(newEpoch)),
      tx.insert(this.items, inserts),
      tx.update(
        this.items,
        updates.map(({ _id, ...fields }): UpdateStatement => ({ q: { _id }, u: { $set: fields } })),
      ),
      tx.delete(this.items, deletes),
      tx.update(this.series, taken.map(intoSeries)),
      tx.delete(this.series, left),
    ]);
    return changed;
  }
}

function keyOf({ collectionId, postId }: ItemWrite): CollectionItem['_id'] {
  return pairId(ObjectId.createFromHexString(collectionId), ObjectId.createFromHexString(postId));
}

/** Returns an update that conflicts with items that another host adds at the same time. */
function newEpoch(collectionId: string): UpdateStatement {
  return { q: { _id: new ObjectId(collectionId) }, u: { $inc: { orderEpoch: 1 } } };
}

function intoSeries([postId, collectionId]: [string, string]): UpdateStatement {
  const u = { $set: { collectionId: new ObjectId(collectionId) } };
  return { q: { _id: new ObjectId(postId) }, u, upsert: true };
}

function ordersOf(rows: OrderRow[]): Map<string, { postId: string; position: string }[]> {
  const keyed = rows.map(({ _id, position }) => ({ key: _id.toString('hex'), position }));
  keyed.sort((a, b) => compare(a.position, b.position) || compare(a.key, b.key));
  const orders = new Map<string, { postId: string; position: string }[]>();
  for (const { key, position } of keyed) {
    const collection = key.slice(0, 24);
    const order = orders.get(collection);
    const entry = { postId: key.slice(24), position };
    if (order === undefined) orders.set(collection, [entry]);
    else order.push(entry);
  }
  return orders;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function uniqueIds(ids: string[]): ObjectId[] {
  return [...new Set(ids)].map((id) => ObjectId.createFromHexString(id));
}

function firstHexOf(pair: CollectionItem['_id']): string {
  return pair.toString('hex').slice(0, 24);
}
