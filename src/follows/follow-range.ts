import type { ObjectId } from 'mongodb';
import type { ActorRange, IdRange } from '../activity/actor-range.js';
import { FOLLOWS } from './follow.schema.js';

/** Returns the range of the followers of an account. */
export function followRange(followingId: ObjectId, seq: IdRange): ActorRange {
  const sort = { followingId: 1, seq: -1 };
  return { collection: FOLLOWS, filter: { followingId, seq }, sort, actor: '$followerId', row: '$_id' };
}
