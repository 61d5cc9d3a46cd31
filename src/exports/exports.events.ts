import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** An export was requested: subscribers write its file. */
export const EXPORT_REQUESTED: Topic<ObjectId> = { name: 'export.requested' };

/** An export has expired, or its account was deleted: subscribers delete row and file. */
export const EXPORT_EXPIRED: Topic<ObjectId> = { name: 'export.expired' };
