import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { pairId } from '../common/pair-id.js';
import { uniqueIds } from '../common/unique-ids.js';
import type { Viewer } from '../platform/access/viewer.js';
import { byIds, increment, statsStatements } from '../platform/mongo/update-statements.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { type ReadTarget, SecondaryReads } from '../platform/mongo/secondary-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { CollectionItem } from './collection-item.schema.js';
import { COLLECTION_COUNTERS, type CollectionStats, topScore } from './collection-rules.js';
import { PostCollection } from './collection.schema.js';
import { COLLECTION_PROJECTION, type CollectionJson, type CollectionViewRow, toCollection } from './collection-view.js';
import { canRead, canSee, requireVisible, VISIBILITY_FIELDS } from './visibility.js';

const TARGET_PROJECTION = { ...VISIBILITY_FIELDS, kind: 1, stats: 1 } as const;
const READ_PROJECTION = { ...COLLECTION_PROJECTION, ...TARGET_PROJECTION, orderEpoch: 1, isListed: 1 } as const;

/** The fields of a collection that a batch needs for decisions inside its transaction. */
export type CollectionTarget = Pick<PostCollection, '_id' | keyof typeof TARGET_PROJECTION>;

export type CollectionReadRow = CollectionViewRow & CollectionTarget & Pick<PostCollection, 'orderEpoch' | 'isListed'>;

/** Collections by id, and the operations for interactions. */
@Injectable()
export class CollectionsService {
  constructor(
    private readonly reads: SecondaryReads,
    @InjectModel(PostCollection.name) private readonly collections: Model<PostCollection>,
    @InjectModel(CollectionItem.name) private readonly items: Model<CollectionItem>,
  ) {}

  /** @throws CodedError `collection_not_found`, also for private ones of others */
  async get(id: ObjectId, viewer: Viewer | null): Promise<CollectionJson> {
    return toCollection(await this.getVisible(id, viewer));
  }

  /** @throws CodedError `collection_not_found` */
  async getVisible(id: ObjectId, viewer: Viewer | null, tx?: Transaction): Promise<CollectionReadRow> {
    const find = (target?: ReadTarget): Promise<CollectionReadRow | null> =>
      findOne(this.collections, { _id: id }, READ_PROJECTION, target);
    return requireVisible(await (tx ? find({ session: tx?.session }) : this.reads.run('collection', find)), viewer);
  }

  /** Returns the visible collections by hex id. */
  async findVisible(ids: readonly ObjectId[], viewer: Viewer): Promise<Map<string, CollectionJson>> {
    if (ids.length === 0) return new Map();
    const rows = await findMany(this.collections, { _id: { $in: [...ids] } }, READ_PROJECTION);
    const shown = rows.filter((row) => canSee(row, viewer));
    return new Map(shown.map((row) => [row._id.toHexString(), toCollection(row)]));
  }

  /** Returns collections by hex id in the transaction's snapshot, including deleted ones. */
  async findTargets(ids: readonly ObjectId[], tx: Transaction): Promise<Map<string, CollectionTarget>> {
    if (ids.length === 0) return new Map();
    const { collection } = this.collections;
    const rows = await tx.find<CollectionTarget>(collection, byIds(ids), TARGET_PROJECTION, ids.length);
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  /** Returns the existing items of public collections in the transaction's snapshot. */
  async findPublicItems(
    pairs: readonly (readonly [collectionId: ObjectId, postId: ObjectId])[],
    tx: Transaction,
  ): Promise<(Pick<CollectionItem, '_id' | 'postId' | 'addedAt'> & { ownerId: ObjectId })[]> {
    if (pairs.length === 0) return [];
    const collections = await this.findTargets(uniqueIds(pairs.map(([id]) => id)), tx);
    const ids = pairs.map(([collectionId, postId]) => pairId(collectionId, postId));
    const fields = { collectionId: 1, postId: 1, addedAt: 1 } as const;
    const items = await findMany(this.items, { _id: { $in: ids } }, fields, { session: tx.session });
    return items.flatMap(({ collectionId, ...item }) => {
      const collection = collections.get(collectionId.toHexString());
      return canRead(collection, undefined) ? [{ ...item, ownerId: collection.ownerId }] : [];
    });
  }

  /** Adds differences to counters and the top score, by hex collection id, in one round trip. */
  async applyStats(changes: ReadonlyMap<string, Partial<CollectionStats>>, tx: Transaction): Promise<void> {
    const statements = statsStatements(changes, COLLECTION_COUNTERS, (moved) => {
      const { $inc } = increment(moved) as { $inc: Record<string, number> };
      return { $inc: { ...$inc, topScore: topScore(moved) } };
    });
    await tx.update(this.collections.collection, statements);
  }
}
