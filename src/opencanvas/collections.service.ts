import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CollectionListsService } from '../collections/collection-lists.service.js';
import { CollectionPostsService } from '../collections/collection-posts.service.js';
import { MAX_ITEMS } from '../collections/collection-rules.js';
import { CollectionWritesService } from '../collections/collection-writes.service.js';
import { CollectionsService } from '../collections/collections.service.js';
import { CodedError } from '../common/errors.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import type { NumberedPage } from '../platform/http/pagination/numbered-page.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import type { HandlerResult } from './envelope.js';
import type { CreateCollectionBody, UpdateCollectionBody } from './opencanvas.dto.js';
import { toOpenCanvasCollection } from './opencanvas-collection.js';
import { cardsOf } from './posts.service.js';

/** Maps OpenCanvas collections to collections of `/v1/collections`, including series. */
@Injectable()
export class OpenCanvasCollectionsService {
  constructor(
    private readonly collections: CollectionsService,
    private readonly lists: CollectionListsService,
    private readonly items: CollectionPostsService,
    private readonly writes: CollectionWritesService,
  ) {}

  async browse(query: NumberedPage): Promise<HandlerResult> {
    const data = (await this.lists.browseByNumber(query)).map((collection) => toOpenCanvasCollection(collection));
    return { page: query.page, results: data.length, data };
  }

  /** Returns a collection with its posts, in the owner's order. @throws CodedError `collection_not_found` */
  async get(id: ObjectId, viewer: Viewer | null): Promise<HandlerResult> {
    const collection = await this.collections.get(id, viewer);
    const { data: items } = await this.items.list(id, viewer, { limit: MAX_ITEMS });
    const posts = cardsOf(items.map(({ post }) => post));
    const ids = items.map(({ post }) => post.id);
    return { data: { collection: toOpenCanvasCollection(collection, ids), posts } };
  }

  /** Returns the collection to its owner and to moderators. @throws CodedError `collection_not_found`, `forbidden` */
  async getPrivate(id: ObjectId, viewer: Viewer): Promise<HandlerResult> {
    const { owner } = await this.collections.get(id, viewer);
    if (owner.id !== viewer.id && !hasRole(viewer, 'moderator'))
      throw new CodedError('forbidden', 'Not authorised to view this collection');
    return this.get(id, viewer);
  }

  async listOfOwner(ownerId: ObjectId, viewer: Viewer): Promise<HandlerResult> {
    const owned = await this.lists.listOfOwner(ownerId, viewer);
    const data = owned.map(({ collection, postIds }) => toOpenCanvasCollection(collection, postIds));
    return { results: data.length, data };
  }

  async create(write: WriteRequest, { isPrivate = false, ...body }: CreateCollectionBody): Promise<HandlerResult> {
    const created = await this.writes.create(write, { ...body, kind: 'list', isPublic: !isPrivate });
    return { data: toOpenCanvasCollection(created, []) };
  }

  /** @throws CodedError `collection_not_found`, `forbidden` */
  async edit(id: ObjectId, viewer: Viewer, { isPrivate, ...body }: UpdateCollectionBody): Promise<HandlerResult> {
    const visibility = isPrivate === undefined ? {} : { isPublic: !isPrivate };
    return { data: toOpenCanvasCollection(await this.writes.edit(id, viewer, { ...body, ...visibility })) };
  }

  /**
   * Removes the post if the collection contains it, otherwise adds it.
   * @throws CodedError `collection_not_found`, `forbidden`, `post_not_found`, `collection_full`
   */
  async toggle(write: WriteRequest, id: ObjectId, postId: ObjectId): Promise<HandlerResult> {
    const { position } = await this.items.toggle(write, id, postId);
    const message = position === 0 ? 'Post removed from collection' : 'Post added to collection';
    return { message, data: toOpenCanvasCollection(await this.collections.get(id, write.viewer)) };
  }

  /** @throws CodedError `collection_not_found`, `forbidden` */
  async delete(id: ObjectId, viewer: Viewer): Promise<HandlerResult> {
    await this.writes.delete(id, viewer);
    return { message: 'Collection deleted' };
  }
}
