import type { ObjectId } from 'mongodb';
import type { ActorRange, IdRange } from '../activity/actor-range.js';
import type { LookupRange } from '../platform/mongo/raw-read.js';
import { idsOfKind } from './interaction-id.js';
import { INTERACTIONS } from './interaction.schema.js';

export const MAX_VOTES_READ = 300;

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

/** Votes (`_id`) of an account on posts and comments, without documents; MAX_VOTES_READ and one more if it has more. */
export function votesOf(userId: ObjectId): LookupRange {
  const _id = idsOfKind(userId, 'vote');
  return {
    from: INTERACTIONS,
    pipeline: [{ $match: { _id } }, { $limit: MAX_VOTES_READ + 1 }, { $project: { _id: 1 } }],
  };
}
