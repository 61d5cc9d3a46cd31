import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';
import type { ArchiveImport } from './import.schema.js';

/** An import has work: its state says which. */
export const IMPORT_STARTED: Topic<ObjectId> = { name: 'import.started' };

/** Hook: an archive was read to its end, or the import has failed. */
export const IMPORT_DONE: Topic<Pick<ArchiveImport, '_id' | 'userId' | 'counts'> & { state: 'ready' | 'failed' }> = {
  name: 'import.done',
};

/** An upload was interrupted, or an import has expired: subscribers delete the row and the file. */
export const IMPORT_EXPIRED: Topic<ObjectId> = { name: 'import.expired' };
