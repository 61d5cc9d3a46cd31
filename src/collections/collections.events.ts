import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/topic.js';

/** A collection was marked as deleted: subscribers delete its row, its items, and its votes and followers. */
export const COLLECTION_DELETED: Topic<ObjectId> = { name: 'collection.deleted' };
