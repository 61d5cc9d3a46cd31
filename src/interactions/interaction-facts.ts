import { ObjectId } from 'mongodb';
import type { Fact } from '../activity/activity-facts.js';
import type { InteractionPlan } from './interaction-plan.js';

/** Returns the facts of a batch: new likes, and new follows of collections. */
export function factsOf({ inserts, updates }: Pick<InteractionPlan, 'inserts' | 'updates'>): Fact[] {
  const follows = inserts.filter(({ kind }) => kind === 'follow');
  const likes = [...inserts, ...updates].filter(({ value }) => value === 'like');
  return [
    ...follows.map(({ userId: actor, targetId: target }): Fact => ({ kind: 'collection_follow', actor, target })),
    ...likes.map(({ _id: { buffer } }): Fact => {
      // The buffer contains user, kind and target (see interactionId).
      const [actor, target] = [buffer.subarray(0, 12), buffer.subarray(13, 25)].map((id) => new ObjectId(id));
      return { kind: 'like', actor: actor!, target: target! };
    }),
  ];
}
