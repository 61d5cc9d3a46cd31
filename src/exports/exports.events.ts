import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';
import type { Export } from './export.schema.js';

/** An export was requested: subscribers write its file. */
export const EXPORT_REQUESTED: Topic<ObjectId> = { name: 'export.requested' };

/** Hook: the file of an export is complete. */
export const EXPORT_READY: Topic<Pick<Export, '_id' | 'userId'>> = { name: 'export.ready' };

/** An export has expired, or its account was deleted: subscribers delete row and file. */
export const EXPORT_EXPIRED: Topic<ObjectId> = { name: 'export.expired' };
