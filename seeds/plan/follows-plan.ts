import { MAX_FOLLOWING } from '../../src/follows/follow-plan.js';
import { KeySet } from '../sampling/key-set.js';
import { Random } from '../sampling/random.js';
import { orderByTime, pickOrder, soonAfter } from './clock.js';
import type { PeoplePlan } from './people-plan.js';
import { STREAMS } from './streams.js';

/** One column per property, one row per follow, in the order of their times. */
export interface FollowsPlan {
  count: number;
  follower: Uint32Array;
  following: Uint32Array;
  since: Uint32Array;
}

/** Also counts every row into the columns of both users. */
export function planFollows(seed: number, count: number, people: PeoplePlan, now: number): FollowsPlan {
  const random = new Random(seed, STREAMS.follows);
  const known = new KeySet(count);
  const drawn = { follower: new Uint32Array(count), following: new Uint32Array(count), since: new Uint32Array(count) };
  for (let row = 0; row < count;) {
    const follower = people.byActivity.sample(random);
    // Seven in eight accounts follow a known writer, and one in eight follows any account.
    const following = random.chance(0.875) ? people.byFame.sample(random) : people.byActivity.sample(random);
    if (follower === following || people.following[follower]! >= MAX_FOLLOWING) continue;
    if (!known.add(follower * people.count + following)) continue;
    drawn.follower[row] = follower;
    drawn.following[row] = following;
    const start = Math.max(people.createdAt[follower]!, people.createdAt[following]!);
    drawn.since[row] = soonAfter(random, start, now);
    people.following[follower]!++;
    people.followers[following]!++;
    row++;
  }
  const order = orderByTime(drawn.since);
  return {
    count,
    follower: pickOrder(drawn.follower, order),
    following: pickOrder(drawn.following, order),
    since: pickOrder(drawn.since, order),
  };
}
