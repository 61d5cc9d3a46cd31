import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Collection, Filter, ObjectId } from 'mongodb';
import { MediaRefsService } from '../media/media-refs.service.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import { unlessChanged } from '../moderation/removal.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PHASE, type HandlerContext, TaskHandlers, repeatUntilEmpty } from '../platform/work-queue/task-handlers.js';
import { PostsService } from '../posts/posts.service.js';
import { POST_BACKDATED, POST_DELETED, POST_HIDDEN, POST_LISTED } from '../posts/posts.events.js';
import { isLimited, removingAction } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { ACCOUNT_ENDED, AUTHOR_CHANGED, STANDING_CHANGED } from '../users/users.events.js';
import {
  type CollectionItem,
  CollectionItemSchema,
  type PostSeries,
  PostSeriesSchema,
} from './collection-item.schema.js';
import { type PostCollection, PostCollectionSchema } from './collection.schema.js';
import { COLLECTION_ITEMS, POST_SERIES } from './collection-rules.js';
import { LISTS_TAG, tagOf } from './collection-tags.js';
import { CollectionsService } from './collections.service.js';
import { COLLECTION_DELETED } from './collections.events.js';
import { CollectionRemovalsService } from './collection-removals.service.js';
import { CollectionWritesService } from './collection-writes.service.js';

/** Background tasks of collections: after deleted posts, collections and accounts, and renamed accounts. */
@Injectable()
export class CollectionsSubscriber implements OnModuleInit {
  private readonly collections: Collection<PostCollection>;
  private readonly items: Collection<CollectionItem>;
  private readonly series: Collection<PostSeries>;

  constructor(
    private readonly mongo: MongoService,
    private readonly reads: CollectionsService,
    private readonly writes: CollectionWritesService,
    private readonly removals: CollectionRemovalsService,
    private readonly history: ModerationHistoryService,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly mediaRefs: MediaRefsService,
    private readonly handlers: TaskHandlers,
  ) {
    this.collections = mongo.collection(PostCollectionSchema);
    this.items = mongo.collection(CollectionItemSchema);
    this.series = mongo.collection(PostSeriesSchema);
  }

  onModuleInit(): void {
    const name = 'collections';
    this.handlers.register(POST_DELETED, { name, order: PHASE.children, run: (context) => this.removePost(context) });
    for (const topic of [POST_LISTED, POST_BACKDATED, POST_HIDDEN])
      this.handlers.register(topic, { name, lane: 'foreground', run: (context) => this.recount(context) });
    this.handlers.register(COLLECTION_DELETED, {
      name,
      order: PHASE.default,
      run: (context) => this.deleteItems(context),
    });
    this.handlers.register(COLLECTION_DELETED, {
      name: 'collections: row',
      order: PHASE.last,
      run: (context) => this.deleteRow(context),
    });
    const end = (context: HandlerContext) => this.deleteCollectionsOf(context);
    this.handlers.register(ACCOUNT_ENDED, { name, lane: 'both', order: PHASE.first, run: end });
    const refresh = (context: HandlerContext) => this.refreshOwner(context);
    this.handlers.register(AUTHOR_CHANGED, { name, lane: 'both', order: PHASE.children, run: refresh });
    const propagate = (context: HandlerContext) => this.propagateStanding(context);
    this.handlers.register(STANDING_CHANGED, { name: 'collections: standing', lane: 'foreground', run: propagate });
  }

  /** Removes a deleted post from all collections and updates their counts. */
  private async removePost({ payload: postId, batchSize, throttle }: HandlerContext): Promise<void> {
    await repeatUntilEmpty(throttle, () =>
      this.mongo.transaction(async (tx) => {
        const rows = await this.items.find({ postId }, { session: tx.session }).limit(batchSize).toArray();
        // A collection contains a post at most once.
        const ids = rows.map(({ collectionId }) => collectionId.toHexString());
        const counted = rows.filter(({ isListed }) => isListed);
        const counts = counted.map(({ collectionId }) => [collectionId.toHexString(), { postsCount: -1 }] as const);
        await this.reads.applyStats(new Map(counts), tx);
        await this.items.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session: tx.session });
        await this.series.deleteOne({ _id: postId }, { session: tx.session });
        if (ids.length > 0) tx.invalidate(ids.map(tagOf));
        return rows.length;
      }),
    );
  }

  /** Updates `isListed` and the counts. A hidden post stays in its collections but is not counted. */
  private async recount({ payload: postId, batchSize, throttle }: HandlerContext): Promise<void> {
    await repeatUntilEmpty(throttle, () =>
      this.mongo.transaction(async (tx) => {
        const post = (await this.posts.findTargets([postId], tx)).get(postId.toHexString());
        if (post === undefined) return 0;
        const { isListed } = post;
        const rows = await this.items
          .find({ postId, isListed: !isListed }, { projection: { collectionId: 1 }, session: tx.session })
          .limit(batchSize)
          .toArray();
        if (rows.length === 0) return 0;
        const ids = rows.map(({ collectionId }) => collectionId.toHexString());
        const change = { postsCount: isListed ? 1 : -1 };
        await this.reads.applyStats(new Map(ids.map((id) => [id, change])), tx);
        await this.items.updateMany(
          { _id: { $in: rows.map(({ _id }) => _id) } },
          { $set: { isListed } },
          { session: tx.session },
        );
        tx.invalidate(ids.map(tagOf));
        return rows.length;
      }),
    );
  }

  private async deleteItems({ payload: collectionId, deleteInBatches }: HandlerContext): Promise<void> {
    const collection = await this.collections.findOne({ _id: collectionId }, { projection: { deletedAt: 1 } });
    if (collection !== null && collection.deletedAt === null) throw new Error('the collection is not deleted');
    await deleteInBatches(POST_SERIES, { collectionId });
    await deleteInBatches(COLLECTION_ITEMS, { collectionId });
  }

  private async deleteRow({ payload: _id, throttle }: HandlerContext): Promise<void> {
    await this.mediaRefs.detach(_id);
    await this.collections.deleteOne({ _id, deletedAt: { $ne: null } });
    await throttle(1);
  }

  /** Adds a deletion task for each collection. */
  private async deleteCollectionsOf({ payload: ownerId, batchSize, throttle }: HandlerContext): Promise<void> {
    await repeatUntilEmpty(throttle, () =>
      this.mongo.transaction(async (tx) => {
        const ids = await this.findOwn(ownerId, {}, batchSize, tx);
        if (ids.length > 0) await this.writes.markDeleted(ids, tx);
        return ids.length;
      }),
    );
  }

  /** Removes the collections of a restricted owner, or from lists only, and shows them when the restriction ends. Idempotent. */
  private async propagateStanding({ payload: ownerId, throttle }: HandlerContext): Promise<void> {
    const user = await this.users.findById(ownerId);
    if (user === null) return;
    const removal = await this.history.removalBy(removingAction(user.standing));
    const isListed = !isLimited(user.standing);
    const changes: [Filter<PostCollection>, (row: PostCollection, tx: Transaction) => Promise<void>][] = [
      removal === null
        ? [{ 'removal.isOfAccount': true }, ({ _id }, tx) => this.removals.restore(_id, tx)]
        : [{ isPublic: true }, ({ _id }, tx) => this.removals.moderate(_id, { ...removal }, tx)],
      [
        { isPublic: true, isListed: !isListed },
        (row, tx) => this.writes.setVisibility(row, { isPublic: true, removal: null }, tx),
      ],
    ];
    for (const [filter, change] of changes) {
      // An account has at most MAX_COLLECTIONS of them.
      const rows = await this.collections.find({ ownerId, deletedAt: { $type: 'null' as const }, ...filter }).toArray();
      for (const row of rows) await unlessChanged(this.mongo.transaction((tx) => change(row, tx)));
      await throttle(rows.length);
    }
  }

  /** Updates the copies of an owner's name and image. Idempotent. */
  private async refreshOwner({ payload: ownerId, batchSize, throttle }: HandlerContext): Promise<void> {
    await repeatUntilEmpty(throttle, async () => {
      const [user] = await this.users.findUsers([ownerId]);
      if (user === undefined) return 0;
      const { username, fullName, profilePicture } = user;
      const ownerSnapshot = { username, fullName, profilePicture };
      const differs = Object.entries(ownerSnapshot).map(([name, now]) => ({ [`ownerSnapshot.${name}`]: { $ne: now } }));
      return this.mongo.transaction(async (tx) => {
        const ids = await this.findOwn(ownerId, { $or: differs }, batchSize, tx);
        if (ids.length === 0) return 0;
        await this.collections.updateMany({ _id: { $in: ids } }, { $set: { ownerSnapshot } }, { session: tx.session });
        tx.invalidate([LISTS_TAG, ...ids.map((id) => tagOf(id.toHexString()))]);
        return ids.length;
      });
    });
  }

  /** An account has at most MAX_COLLECTIONS collections, so no batch needs a cursor. */
  private async findOwn(
    ownerId: ObjectId,
    filter: Filter<PostCollection>,
    limit: number,
    tx: Transaction,
  ): Promise<ObjectId[]> {
    const own = { ownerId, deletedAt: { $type: 'null' as const }, ...filter };
    const rows = await this.collections
      .find(own, { projection: { _id: 1 }, session: tx.session })
      .limit(limit)
      .toArray();
    return rows.map(({ _id }) => _id);
  }
}
