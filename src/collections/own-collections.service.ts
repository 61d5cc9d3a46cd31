import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, streamRows } from '../platform/mongo/lean-reads.js';
import { Exported, type ExportedFile } from '../users/exported.decorator.js';
import { CollectionItem, ITEM_ORDER } from './collection-item.schema.js';
import { COLLECTION_LISTS, PostCollection } from './collection.schema.js';
import { COLLECTION_PROJECTION, toCollection } from './collection-view.js';

const BATCH = 10;

type CollectionRow = Pick<PostCollection, '_id' | keyof typeof COLLECTION_PROJECTION>;

/** All collections of one account, including private ones, with their posts in order. */
@Injectable()
export class OwnCollectionsService {
  constructor(
    @InjectModel(PostCollection.name) private readonly collections: Model<PostCollection>,
    @InjectModel(CollectionItem.name) private readonly items: Model<CollectionItem>,
  ) {}

  @Exported('collections/')
  async *stream(ownerId: ObjectId): AsyncGenerator<ExportedFile, void, undefined> {
    const rows = streamRows<CollectionRow>(BATCH, (last, limit) => {
      const after = last === null ? {} : { _id: { $lt: last._id } };
      const own = { ownerId, deletedAt: { $type: 'null' as const }, ...after };
      const options = { sort: { _id: -1 }, limit, hint: COLLECTION_LISTS.mine } as const;
      return findMany(this.collections, own, COLLECTION_PROJECTION, options);
    });
    for await (const row of rows) {
      const fields = { postId: 1, note: 1, addedAt: 1 } as const;
      const items = await findMany(this.items, { collectionId: row._id }, fields, { sort: ITEM_ORDER });
      const posts = items.map(({ postId, note, addedAt }) => ({ postId: postId.toHexString(), note, addedAt }));
      const collection = toCollection(row);
      yield { name: `${collection.slug}.json`, content: [`${JSON.stringify({ ...collection, posts }, null, 2)}\n`] };
    }
  }
}
