import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/topic.js';

/** A draft has enough versions for some to be deleted. */
export const DRAFT_REVISED: Topic<ObjectId> = { name: 'draft.revised' };

/** The scheduled time of a draft has come: publish it. */
export const DRAFT_DUE: Topic<ObjectId> = { name: 'draft.due' };

/** A draft was deleted or published: delete its earlier versions. */
export const DRAFT_REMOVED: Topic<ObjectId> = { name: 'draft.removed' };
