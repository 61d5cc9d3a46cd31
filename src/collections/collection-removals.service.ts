import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { type ModerationTarget, ModerationTargets } from '../moderation/moderation-targets.js';
import { type Removal, REMOVED_MS } from '../moderation/removal.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { UsersService } from '../users/users.service.js';
import { CollectionWritesService } from './collection-writes.service.js';
import { PostCollection } from './collection.schema.js';
import { COLLECTION_REMOVAL_EXPIRED } from './collections.events.js';
import { collectionNotFound } from './visibility.js';

const FIELDS = { ownerId: 1, isPublic: 1, isListed: 1, version: 1, removal: 1 } as const;

/** Removes collections for moderators: a removed collection is private, and is deleted after 30 days unless a moderator restores it. */
@Injectable()
export class CollectionRemovalsService implements ModerationTarget, OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly writes: CollectionWritesService,
    private readonly users: UsersService,
    private readonly handlers: TaskHandlers,
    @InjectModel(PostCollection.name) private readonly collections: Model<PostCollection>,
    targets: ModerationTargets,
  ) {
    targets.register('collection', this);
  }

  onModuleInit(): void {
    const run = ({ payload }: { payload: ObjectId }) => this.deleteExpired(payload);
    this.handlers.register(COLLECTION_REMOVAL_EXPIRED, { name: 'collections: removed', lane: 'foreground', run });
  }

  async ownerOf(id: ObjectId, tx: Transaction): Promise<ObjectId> {
    return (await this.getRow(id, tx)).ownerId;
  }

  /** @throws CodedError `collection_not_found`, `already_removed` */
  async moderate(id: ObjectId, removal: Removal, tx: Transaction): Promise<void> {
    const row = await this.getRow(id, tx);
    if (row.removal) throw new CodedError('already_removed', 'The collection is already removed.');
    const { isPublic } = row;
    await this.writes.setVisibility(row, { isPublic: false, removal: { ...removal, isPublic } }, tx);
    const runAt = new Date(removal.at.getTime() + REMOVED_MS);
    tx.addTask(COLLECTION_REMOVAL_EXPIRED, id, { runAt });
  }

  /** Restores the visibility that the collection had. @throws CodedError `collection_not_found`, `not_removed` */
  async restore(id: ObjectId, tx: Transaction): Promise<void> {
    const row = await this.getRow(id, tx);
    if (!row.removal) throw new CodedError('not_removed', 'The collection is not removed.');
    await this.writes.setVisibility(row, { isPublic: row.removal.isPublic, removal: null }, tx);
  }

  /** Deletes a collection whose removal began REMOVED_MS ago. A later removal has a task of its own. */
  private async deleteExpired(_id: ObjectId): Promise<void> {
    const removed = { _id, deletedAt: null, 'removal.at': { $lte: new Date(Date.now() - REMOVED_MS) } };
    await this.mongo.transaction(async (tx) => {
      const row = await findOne(this.collections, removed, FIELDS, { session: tx.session });
      if (row === null) return;
      await this.users.moveCollectionsCount(row.ownerId, -1, tx);
      await this.writes.markDeleted([_id], tx);
    });
  }

  private async getRow(_id: ObjectId, tx: Transaction): Promise<Pick<PostCollection, '_id' | keyof typeof FIELDS>> {
    const row = await findOne(this.collections, { _id, deletedAt: null }, FIELDS, { session: tx.session });
    if (row === null) throw collectionNotFound();
    return row;
  }
}
