import { DEMO_ACCOUNTS } from '../../src/common/demo-accounts.js';
import type { DatasetSizes } from '../profiles.js';
import { AliasTable } from '../sampling/alias-table.js';
import { Random } from '../sampling/random.js';
import { DAY, soonAfter } from './clock.js';
import { personOf } from './person.js';
import { EXAMPLE_TIME } from './example-rows.js';
import { STREAMS } from './streams.js';

const HISTORY_DAYS = 1300;
const DELETED_SHARE = 0.004;
const AUTHOR_SHARE = 0.35;

/** One column per property, one row per user, in the order of their registrations. */
export interface PeoplePlan {
  count: number;
  createdAt: Uint32Array;
  /** 0 unless the account is deleted. A deleted account has no posts, comments, votes or follows. */
  deletedAt: Uint32Array;
  /** Number after a username's base; 0 for the first user of a base, whose name has no number. */
  usernameNumber: Uint32Array;
  followers: Uint32Array;
  following: Uint32Array;
  listedPosts: Uint32Array;
  likesReceived: Uint32Array;
  /** Draws users by how much they write and are followed. */
  byFame: AliasTable;
  /** Draws users by how much they read, vote and comment. */
  byActivity: AliasTable;
}

export function planPeople(seed: number, sizes: DatasetSizes, now: number): PeoplePlan {
  const count = sizes.users;
  const random = new Random(seed, STREAMS.userTimes);
  const start = now - HISTORY_DAYS * DAY;
  const createdAt = new Uint32Array(count);
  // The exponent makes the later days busier, because the community grows.
  for (let i = 0; i < count; i++) createdAt[i] = start + Math.floor((now - start) * Math.pow(random.float(), 0.6));
  createdAt.sort();
  createdAt.fill(Math.min(start, EXAMPLE_TIME), 0, DEMO_ACCOUNTS.length);

  const deletedAt = new Uint32Array(count);
  const fame = new Float64Array(count);
  const activity = new Float64Array(count);
  let totalFame = 0;
  for (let i = 0; i < count; i++) {
    if (i >= DEMO_ACCOUNTS.length && random.chance(DELETED_SHARE)) {
      deletedAt[i] = soonAfter(random, createdAt[i]!, now);
      continue;
    }
    if (random.chance(AUTHOR_SHARE)) fame[i] = random.pareto(1.3);
    activity[i] = random.pareto(1.8);
    totalFame += fame[i]!;
  }
  // The demo writer is followed like an author of a dozen posts.
  fame[0] = (totalFame * 12) / sizes.posts;

  return {
    count,
    createdAt,
    deletedAt,
    usernameNumber: numberUsernames(seed, count),
    followers: new Uint32Array(count),
    following: new Uint32Array(count),
    listedPosts: new Uint32Array(count),
    likesReceived: new Uint32Array(count),
    byFame: new AliasTable(fame),
    byActivity: new AliasTable(activity),
  };
}

function numberUsernames(seed: number, count: number): Uint32Array {
  const random = new Random(seed);
  const bearers = new Map<string, number>();
  const numbers = new Uint32Array(count);
  for (let i = DEMO_ACCOUNTS.length; i < count; i++) {
    const base = personOf(random, seed, i).usernameBase;
    const earlier = bearers.get(base) ?? 0;
    bearers.set(base, earlier + 1);
    numbers[i] = earlier === 0 ? 0 : earlier + 1;
  }
  return numbers;
}
