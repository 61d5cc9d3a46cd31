import type { ObjectId } from 'mongodb';
import type { ActorRange, IdRange } from '../activity/actor-range.js';
import { COMMENT_PAGES, COMMENTS } from './comment.schema.js';

/** Returns the range of live comments under a parent, excluding those of one account. @param parentId null: top-level comments */
export function commentRange(postId: ObjectId, parentId: ObjectId | null, _id: IdRange, notBy: ObjectId): ActorRange {
  return {
    collection: COMMENTS,
    filter: { postId, parentId, _id, isVisible: true, deletedAt: null, authorId: { $ne: notBy } },
    sort: COMMENT_PAGES,
    actor: '$authorId',
    row: '$_id',
  };
}

/** Returns the range of live replies on a post, excluding those of one account. Also examines top-level comments of the range. */
export function replyRange(postId: ObjectId, _id: IdRange, notBy: ObjectId): ActorRange {
  return {
    collection: COMMENTS,
    filter: { postId, _id, parentId: { $ne: null }, isVisible: true, deletedAt: null, authorId: { $ne: notBy } },
    sort: { postId: -1, _id: -1 },
    actor: '$authorId',
    row: '$_id',
  };
}

/** Returns the comment as a range, if it is live and mentions the account: one row or none. */
export function commentMentioning(userId: ObjectId, commentId: ObjectId): ActorRange {
  return {
    collection: COMMENTS,
    filter: { _id: commentId, mentions: userId, isVisible: true, deletedAt: null },
    sort: { _id: 1 },
    actor: '$authorId',
    row: '$_id',
  };
}
