import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';
import type { PostCollection } from './collection.schema.js';

/** A collection was removed by a moderator 30 days ago. */
export const COLLECTION_REMOVAL_EXPIRED: Topic<ObjectId> = { name: 'collection.removal-expired' };

/** Hook: collections are created, changed or deleted, or their posts. */
export const COLLECTIONS_CHANGED: Topic<Pick<PostCollection, '_id' | 'ownerId'>[]> = { name: 'collections.changed' };

/** A collection was marked as deleted. Subscribers delete its row, its items, its votes and its followers. */
export const COLLECTION_DELETED: Topic<ObjectId> = { name: 'collection.deleted' };
