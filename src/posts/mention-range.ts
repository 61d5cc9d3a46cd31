import type { ObjectId } from 'mongodb';
import type { ActorRange } from '../activity/actor-range.js';
import { POSTS } from './post-counters.js';

/** Selects a post while it is listed and mentions an account: one row or none. */
export function postMentioning(userId: ObjectId, postId: ObjectId): ActorRange {
  return {
    collection: POSTS,
    filter: { _id: postId, mentions: userId, isListed: true },
    sort: { _id: 1 },
    actor: '$authorId',
    row: '$_id',
  };
}
