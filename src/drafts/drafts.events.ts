import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** A draft has enough versions to delete some of them. */
export const DRAFT_REVISED: Topic<ObjectId> = { name: 'draft.revised' };

/** The scheduled time of a draft has come. Subscribers publish the draft. */
export const DRAFT_DUE: Topic<ObjectId> = { name: 'draft.due' };

/** Hook: an imported draft is published. */
export const IMPORTED_DRAFT_PUBLISHED: Topic<{ importId: ObjectId; draftId: ObjectId }> = {
  name: 'draft.imported-published',
};

/** A deleted post was in the trash for its whole time. Subscribers delete the draft. */
export const DRAFT_EXPIRED: Topic<ObjectId> = { name: 'draft.expired' };

/** A draft was deleted or published. Subscribers delete its versions and image references. */
export const DRAFT_REMOVED: Topic<ObjectId> = { name: 'draft.removed' };
