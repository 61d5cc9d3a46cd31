import type { ObjectId } from 'mongodb';
import type { ActorRange, IdRange } from '../activity/actor-range.js';
import { COMMENT_PAGES, COMMENTS } from './comment.schema.js';

/** The live comments under one parent, without those of one account. @param parentId null: on the post itself */
export function commentRange(postId: ObjectId, parentId: ObjectId | null, _id: IdRange, notBy: ObjectId): ActorRange {
  return {
    collection: COMMENTS,
    filter: { postId, parentId, _id, isVisible: true, deletedAt: null, authorId: { $ne: notBy } },
    sort: COMMENT_PAGES,
    actor: '$authorId',
    row: '$_id',
  };
}

/** A comment, while it is live and mentions an account: one row or none. */
export function commentMentioning(userId: ObjectId, commentId: ObjectId): ActorRange {
  return {
    collection: COMMENTS,
    filter: { _id: commentId, mentions: userId, isVisible: true, deletedAt: null },
    sort: { _id: 1 },
    actor: '$authorId',
    row: '$_id',
  };
}
