import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/event-row.js';

/** A collection was marked as deleted: its row, its items, and what was given to it are to go. */
export const COLLECTION_DELETED: Topic<ObjectId> = { name: 'collection.deleted' };
