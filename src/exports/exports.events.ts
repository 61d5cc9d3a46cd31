import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/topic.js';

/** An export was requested: its file is to be made. */
export const EXPORT_REQUESTED: Topic<ObjectId> = { name: 'export.requested' };

/** An export has expired, or its account has ended: row and file are to be deleted. */
export const EXPORT_EXPIRED: Topic<ObjectId> = { name: 'export.expired' };
