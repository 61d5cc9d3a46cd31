import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { MediaRefsService } from '../media/media-refs.service.js';
import { ImageLookupService } from '../media/image-lookup.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { requireVersion } from '../platform/http/if-match.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { NewcomerLimitsService } from '../rules/newcomer-limits.service.js';
import { UsersService } from '../users/users.service.js';
import { CollectionChecksService } from './collection-checks.service.js';
import { editedFields, newCollection } from './collection-draft.js';
import { MAX_COLLECTIONS } from './collection-rules.js';
import { PostCollection } from './collection.schema.js';
import { LISTS_TAG, tagOf } from './collection-tags.js';
import { COLLECTION_RESOURCE, type CollectionJson, toCollection } from './collection-view.js';
import { COLLECTION_DELETED, COLLECTIONS_CHANGED } from './collections.events.js';
import { CollectionsService } from './collections.service.js';
import type { CreateCollection, UpdateCollection } from './dto/collection-input.dto.js';
import { requireOwn } from './visibility.js';

/** Creates, edits and deletes collections. ItemWriterService writes their items. */
@Injectable()
export class CollectionWritesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly reads: CollectionsService,
    private readonly users: UsersService,
    private readonly mediaRefs: MediaRefsService,
    private readonly lookup: ImageLookupService,
    private readonly checks: CollectionChecksService,
    private readonly newcomers: NewcomerLimitsService,
    @InjectModel(PostCollection.name) private readonly collections: Model<PostCollection>,
  ) {}

  /**
   * Creates a collection. Its transaction also stores the response under the idempotency key of the request.
   * @throws CodedError `too_many_collections`, `user_not_found`, `content_rejected`, `newcomer_content`
   */
  async create({ viewer, idempotencyKey }: WriteRequest, input: CreateCollection): Promise<CollectionJson> {
    const id = new ObjectId();
    const ownerId = viewer._id;
    const draft = await this.lookup.resolveThumbnail(ownerId, input);
    this.requirePlain(viewer, draft);
    const isPublic = draft.isPublic ?? true;
    const verdict = isPublic ? await this.checks.checkNew({ _id: id, ownerId }, draft) : null;
    return this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const owner = await this.users.moveCollectionsCount(ownerId, 1, tx);
      if (owner === null) throw new CodedError('user_not_found', 'The account was deleted.');
      if (owner.collectionsCount > MAX_COLLECTIONS) throw tooManyCollections();
      const row = newCollection(id, ownerId, owner, draft);
      await this.collections.insertOne(row, { session: tx.session });
      await this.checks.apply(verdict, row, tx);
      await this.mediaRefs.attach([row.thumbnailUrl], { holderId: id, ownerId }, tx);
      if (row.isListed) tx.invalidate([LISTS_TAG]);
      await tx.runHooks(COLLECTIONS_CHANGED, [row]);
      const created = toCollection(row);
      const headers = COLLECTION_RESOURCE.createdHeaders(created);
      tx.storeResponse(idempotencyKey, { status: 201, headers, body: created });
      return created;
    });
  }

  /**
   * @param ifMatch the raw If-Match header
   * @throws CodedError `collection_not_found`, `forbidden`, `precondition_failed`, `collection_removed`, `content_rejected`, `newcomer_content`
   */
  async edit(id: ObjectId, viewer: Viewer, input: UpdateCollection, ifMatch?: string): Promise<CollectionJson> {
    const draft = await this.lookup.resolveThumbnail(viewer._id, input);
    this.requirePlain(viewer, draft);
    return this.mongo.transaction(async (tx) => {
      const row = requireOwn(await this.reads.getVisible(id, viewer, tx), viewer);
      requireVersion(ifMatch, row.version, 'The collection');
      const { isLimited } = await this.users.getAuthor(row.ownerId, tx);
      const changes = editedFields(row, draft, new Date(), isLimited);
      if (changes === null) return toCollection(row);
      if (row.removal && changes.isPublic !== undefined) throw collectionRemoved();
      await this.checks.apply(await this.checks.checkEdit(row, changes), row, tx);
      await this.collections
        .updateOne({ _id: id }, { $set: changes }, { session: tx.session, runValidators: true })
        .exec();
      await this.mediaRefs.attach([changes.thumbnailUrl], { holderId: id, ownerId: row.ownerId }, tx);
      await tx.runHooks(COLLECTIONS_CHANGED, [row]);
      const edited = toCollection({ ...row, ...changes });
      // No cached response contains a private collection.
      if (row.isPublic || edited.isPublic) tx.invalidate(cacheTagsOf(id));
      return edited;
    });
  }

  /**
   * Deletes a collection, for its owner. No read returns the collection after the commit; the cleanup deletes its rows.
   * @throws CodedError `collection_not_found`, `forbidden`, `precondition_failed`
   */
  async delete(id: ObjectId, viewer: Viewer, ifMatch?: string): Promise<void> {
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const row = requireOwn(await this.reads.getVisible(id, viewer, tx), viewer);
      requireVersion(ifMatch, row.version, 'The collection');
      await this.users.moveCollectionsCount(row.ownerId, -1, tx);
      await this.markDeleted([id], tx);
      await tx.runHooks(COLLECTIONS_CHANGED, [row]);
    });
  }

  /** Lists or hides a collection for its removal, or with the standing of its owner. */
  async setVisibility(
    { _id, ownerId, version }: Pick<PostCollection, '_id' | 'ownerId' | 'version'>,
    visibility: Pick<PostCollection, 'isPublic' | 'removal'>,
    tx: Transaction,
  ): Promise<void> {
    const { isLimited } = await this.users.getAuthor(ownerId, tx);
    const isListed = visibility.isPublic && !isLimited;
    const change = { ...visibility, isListed, updatedAt: new Date(), version: version + 1 };
    await this.collections.updateOne({ _id }, { $set: change }, { session: tx.session, runValidators: true }).exec();
    tx.invalidate(cacheTagsOf(_id));
    await tx.runHooks(COLLECTIONS_CHANGED, [{ _id, ownerId }]);
  }

  /** Marks collections as deleted, on request or because their owner's account was deleted. */
  async markDeleted(ids: ObjectId[], tx: Transaction): Promise<void> {
    const now = new Date();
    const marks = { deletedAt: now, updatedAt: now, isListed: false };
    const change = { $set: marks, $inc: { version: 1 } };
    await this.collections.updateMany({ _id: { $in: ids }, deletedAt: null }, change, { session: tx.session }).exec();
    tx.addTasks(COLLECTION_DELETED, ids);
    tx.invalidate(cacheTagsOf(...ids));
  }

  private requirePlain(viewer: Viewer, { title, description, thumbnailUrl }: UpdateCollection): void {
    const texts = Object.entries({ title, description }).map(([field, text = '']) => ({ field, text }));
    this.newcomers.requirePlain(viewer, texts, thumbnailUrl?.startsWith('https://') ? ['thumbnailUrl'] : []);
  }
}

/** Returns the tags of all responses that may contain one of these collections. */
function cacheTagsOf(...ids: ObjectId[]): string[] {
  return [LISTS_TAG, ...ids.map((id) => tagOf(id.toHexString()))];
}

function collectionRemoved(): CodedError {
  const detail = 'A moderator removed this collection. Its visibility cannot be changed.';
  return new CodedError('collection_removed', detail);
}

function tooManyCollections(): CodedError {
  return new CodedError(
    'too_many_collections',
    `An account has at most ${MAX_COLLECTIONS} collections; delete one first.`,
  );
}
