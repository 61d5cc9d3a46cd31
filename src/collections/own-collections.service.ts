import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, streamRows } from '../platform/mongo/lean-reads.js';
import { CollectionItem, ITEM_ORDER } from './collection-item.schema.js';
import { COLLECTION_LISTS, PostCollection } from './collection.schema.js';
import { COLLECTION_PROJECTION, type CollectionJson, toCollection } from './collection-view.js';

const BATCH = 10;

type CollectionRow = Pick<PostCollection, '_id' | keyof typeof COLLECTION_PROJECTION>;
export type OwnCollection = {
  collection: CollectionJson;
  posts: { postId: string; note: string | null; addedAt: Date }[];
};

/** All collections of one account, including private ones, with their posts in order. */
@Injectable()
export class OwnCollectionsService {
  constructor(
    @InjectModel(PostCollection.name) private readonly collections: Model<PostCollection>,
    @InjectModel(CollectionItem.name) private readonly items: Model<CollectionItem>,
  ) {}

  async *stream(ownerId: ObjectId): AsyncGenerator<OwnCollection, void, undefined> {
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
      yield { collection: toCollection(row), posts };
    }
  }
}
