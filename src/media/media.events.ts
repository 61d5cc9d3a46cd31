import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** Hook: the row of an image is deleted. */
export const MEDIA_DELETED: Topic<ObjectId> = { name: 'media.deleted' };
