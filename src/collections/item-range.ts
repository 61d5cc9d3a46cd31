import type { ObjectId } from 'mongodb';
import { type ActorRange, dateOf, type IdRange } from '../activity/actor-range.js';
import { ITEMS_OF_POST } from './collection-item.schema.js';
import { COLLECTION_ITEMS } from './collection-rules.js';

/** Returns the range of all collections, including private ones, that contain a public post. @param added see idAt */
export function itemRange(postId: ObjectId, added: IdRange): ActorRange {
  return {
    collection: COLLECTION_ITEMS,
    filter: { postId, isListed: true, addedAt: { $gte: dateOf(added.$gte), $lt: dateOf(added.$lt) } },
    sort: ITEMS_OF_POST,
    actor: null,
    row: '$collectionId',
  };
}
