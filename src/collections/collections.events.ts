import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** A collection was removed by a moderator 30 days ago. */
export const COLLECTION_REMOVAL_EXPIRED: Topic<ObjectId> = { name: 'collection.removal-expired' };

/** A collection was marked as deleted. Subscribers delete its row, its items, its votes and its followers. */
export const COLLECTION_DELETED: Topic<ObjectId> = { name: 'collection.deleted' };
