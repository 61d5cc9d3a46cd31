import type { ObjectId } from 'mongodb';
import type { ActorRange, IdRange } from '../activity/actor-range.js';
import { INTERACTIONS } from './interaction.schema.js';

/** Returns the range of likes of a post or comment, excluding those of one account. */
export function likeRange(targetId: ObjectId, seq: IdRange, notBy: ObjectId): ActorRange {
  return {
    collection: INTERACTIONS,
    filter: { targetId, kind: 'vote', value: 'like', seq, userId: { $ne: notBy } },
    sort: { targetId: 1, kind: 1, value: 1, seq: -1 },
    actor: '$userId',
    row: '$_id',
  };
}
