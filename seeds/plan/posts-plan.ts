import { POST_TYPES } from '../../src/posts/post-types.js';
import { DEMO_POSTS } from '../demo-posts/demo-posts.js';
import { AliasTable } from '../sampling/alias-table.js';
import { Random } from '../sampling/random.js';
import { DAY, HOUR, soonAfter } from './clock.js';
import type { PeoplePlan } from './people-plan.js';
import { placeExamplePost } from './example-rows.js';
import { STREAMS } from './streams.js';

const HISTORY_DAYS = 730;

export const POST_STATES = { listed: 0, draft: 1, hidden: 2, deleted: 3 } as const;

/** One column per property, one row per post, in the order of their creation. */
export interface PostsPlan {
  count: number;
  /** The row that the examples of the document name: a popular post of the demo writer, edited three times. */
  example: number;
  /** Number of the post in DEMO_POSTS, from 1 on; 0 for all other posts. */
  byHand: Uint8Array;
  author: Uint32Array;
  createdAt: Uint32Array;
  /** Equal to createdAt when the content was never edited. */
  contentEditedAt: Uint32Array;
  version: Uint8Array;
  state: Uint8Array;
  /** 0 unless the post is deleted. A deleted post only has its card and body. */
  deletedAt: Uint32Array;
  type: Uint8Array;
  isLong: Uint8Array;
  views: Uint32Array;
  reads: Uint32Array;
  shares: Uint32Array;
  likes: Uint32Array;
  dislikes: Uint32Array;
  saves: Uint32Array;
  comments: Uint32Array;
  /** Draws posts that may have an audience by their popularity. */
  byPopularity: AliasTable;
}

// In the order of POST_TYPES. The long shares of the types make a third of all posts long.
const TYPE_SHARES = [18, 34, 12, 16, 5, 15];
const LONG_SHARES = [0.7, 0.45, 0, 0.18, 0.5, 0.05];
// The example post has some comments and votes at every size.
const EXAMPLE_POPULARITY = 20;
const DEMO_POPULARITY = 12;
/** Largest share of posts that are written by hand. */
const DEMO_SHARE = 0.25;
/** Version of the example post, whose earlier versions are stored. */
export const EXAMPLE_VERSION = 4;
const byType = new AliasTable(TYPE_SHARES);

export function planPosts(seed: number, count: number, people: PeoplePlan, now: number): PostsPlan {
  const createdAt = postTimes(new Random(seed, STREAMS.postTimes), count, now);
  const example = placeExamplePost(createdAt, now);
  const column = () => new Uint32Array(count);
  const flags = () => new Uint8Array(count);
  const plan = {
    count,
    example,
    byHand: placeDemoPosts(count, example),
    author: column(),
    createdAt,
    contentEditedAt: createdAt.slice(),
    version: flags().fill(1),
    state: flags(),
    deletedAt: column(),
    type: flags(),
    isLong: flags(),
    views: column(),
    reads: column(),
    shares: column(),
    likes: column(),
    dislikes: column(),
    saves: column(),
    comments: column(),
  };
  const popularity = new Float64Array(count);
  const random = new Random(seed, STREAMS.posts);
  for (let i = 0; i < count; i++) {
    const created = createdAt[i]!;
    plan.author[i] = drawAuthor(random, people, created);
    plan.type[i] = byType.sample(random);
    plan.isLong[i] = random.chance(LONG_SHARES[plan.type[i]!]!) ? 1 : 0;
    if (random.chance(0.15)) {
      plan.contentEditedAt[i] = soonAfter(random, created, now);
      plan.version[i] = random.between(2, 5);
    }
    plan.state[i] = drawState(random, i, count);
    if (i === example) showExample(plan, people, now);
    if (plan.byHand[i] !== 0) showDemoPost(plan, i);
    if (plan.state[i] === POST_STATES.deleted) plan.deletedAt[i] = soonAfter(random, plan.contentEditedAt[i]!, now);
    const hasAudience = plan.state[i] === POST_STATES.listed || plan.state[i] === POST_STATES.hidden;
    // A post an hour old has few readers yet.
    const exposure = 1 - Math.exp(-(now - created + HOUR) / (3 * DAY));
    popularity[i] = hasAudience ? random.pareto(1.1) * exposure : 0;
    if (plan.byHand[i] !== 0) popularity[i] = Math.max(popularity[i]!, DEMO_POPULARITY * exposure);
    if (i === example) popularity[i] = Math.max(popularity[i]!, EXAMPLE_POPULARITY);
  }
  return { ...plan, byPopularity: new AliasTable(popularity) };
}

function showExample(plan: Omit<PostsPlan, 'byPopularity'>, { createdAt }: PeoplePlan, now: number): void {
  const row = plan.example;
  plan.author[row] = 0;
  const writtenAt = Math.max(plan.createdAt[row]!, createdAt[0]!);
  plan.createdAt[row] = writtenAt;
  plan.contentEditedAt[row] = Math.min(writtenAt + DAY, now);
  plan.version[row] = EXAMPLE_VERSION;
  plan.state[row] = POST_STATES.listed;
  plan.type[row] = POST_TYPES.indexOf('article');
}

/** Returns the column `byHand`. Recent posts are written by hand more often, because people see these first. */
function placeDemoPosts(count: number, example: number): Uint8Array {
  const byHand = new Uint8Array(count);
  const placed = Math.min(DEMO_POSTS.length, Math.floor(count * DEMO_SHARE));
  let row = count;
  for (let i = 0; i < placed; i++) {
    row = Math.min(row - 1, Math.floor((count - 1) * (1 - (i / placed) ** 2)));
    if (row === example) row--;
    byHand[row] = placed - i;
  }
  return byHand;
}

function showDemoPost(plan: Omit<PostsPlan, 'byPopularity'>, row: number): void {
  const { author, type } = DEMO_POSTS[plan.byHand[row]! - 1]!;
  plan.author[row] = author;
  plan.type[row] = POST_TYPES.indexOf(type);
  plan.isLong[row] = 0;
  plan.state[row] = POST_STATES.listed;
}

/** Times are busier towards today, with a believable share in the last day, week and month. */
function postTimes(random: Random, count: number, now: number): Uint32Array {
  const lastDay = Math.max(0.006, Math.min(0.05, 8 / count));
  const times = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const draw = random.float();
    let age: number;
    if (draw < lastDay) age = random.float() * DAY;
    else if (draw < 0.03 + lastDay) age = (1 + random.float() * 6) * DAY;
    else if (draw < 0.11 + lastDay) age = (7 + random.float() * 23) * DAY;
    else age = (30 + (HISTORY_DAYS - 30) * Math.pow(random.float(), 1.5)) * DAY;
    times[i] = now - Math.floor(age);
  }
  return times.sort();
}

/** The first and the last post are always listed, so every feed has a beginning and an end. The second post is always hidden. */
function drawState(random: Random, post: number, count: number): number {
  const draw = random.float();
  if (post === 0 || post === count - 1) return POST_STATES.listed;
  if (post === 1) return POST_STATES.hidden;
  if (draw < 0.012) return POST_STATES.draft;
  if (draw < 0.025) return POST_STATES.hidden;
  if (draw < 0.03) return POST_STATES.deleted;
  return POST_STATES.listed;
}

function drawAuthor(random: Random, people: PeoplePlan, createdAt: number): number {
  for (let attempt = 0; attempt < 64; attempt++) {
    const user = people.byFame.sample(random);
    // The demo writer has posts by hand.
    if (user !== 0 && people.createdAt[user]! <= createdAt) return user;
  }
  return 0;
}

/** Returns the type of a post by its row. */
export const typeOf = (plan: PostsPlan, post: number) => POST_TYPES[plan.type[post]!]!;
