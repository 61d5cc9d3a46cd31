import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** An import has work: its state says which. */
export const IMPORT_STARTED: Topic<ObjectId> = { name: 'import.started' };

/** An upload was interrupted, or an import has expired: subscribers delete the row and the file. */
export const IMPORT_EXPIRED: Topic<ObjectId> = { name: 'import.expired' };
