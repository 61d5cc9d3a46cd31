import { Injectable } from '@nestjs/common';
import { MonthlyListing } from '../platform/mongo/months.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { COLLECTIONS } from './collection-rules.js';
import { COLLECTION_LISTS, type PostCollection } from './collection.schema.js';

/** The slugs of all public collections, by the month of their creation. */
@Injectable()
export class ListedCollectionsService extends MonthlyListing<PostCollection, string> {
  constructor(mongo: MongoService) {
    super(mongo, {
      collection: COLLECTIONS,
      filter: { isListed: true },
      by: '_id',
      hint: COLLECTION_LISTS.latest,
      projection: { slug: 1 },
      shape: ({ _id, slug }) => `${slug}-${_id.toHexString()}`,
    });
  }
}
