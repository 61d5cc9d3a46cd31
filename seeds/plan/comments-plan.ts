import { Random } from '../sampling/random.js';
import { orderByTime, pickOrder, soonAfter } from './clock.js';
import type { PeoplePlan } from './people-plan.js';
import type { PostsPlan } from './posts-plan.js';
import { STREAMS } from './streams.js';

const REPLY_SHARE = 0.45;
const DEEPEST_REPLY = 12;
const DELETED_SHARE = 0.015;
export const NO_PARENT = 0xffffffff;

/** One column per property, one row per comment, in the order of their times. */
export interface CommentsPlan {
  count: number;
  post: Uint32Array;
  author: Uint32Array;
  createdAt: Uint32Array;
  parent: Uint32Array;
  editedAt: Uint32Array;
  /** 0 unless the comment is deleted. */
  deletedAt: Uint32Array;
  isVisible: Uint8Array;
  likes: Uint32Array;
  dislikes: Uint32Array;
  /** Number of visible direct replies. */
  replies: Uint32Array;
}

/** Also counts the existing comments into the posts' columns. */
export function planComments(
  seed: number,
  count: number,
  people: PeoplePlan,
  posts: PostsPlan,
  now: number,
): CommentsPlan {
  const random = new Random(seed, STREAMS.comments);
  const drawn = { post: new Uint32Array(count), author: new Uint32Array(count), createdAt: new Uint32Array(count) };
  for (let i = 0; i < count; i++) {
    const post = posts.byPopularity.sample(random);
    const author = random.chance(0.12) ? posts.author[post]! : people.byActivity.sample(random);
    drawn.post[i] = post;
    drawn.author[i] = author;
    drawn.createdAt[i] = soonAfter(random, Math.max(posts.createdAt[post]!, people.createdAt[author]!), now);
  }
  const order = orderByTime(drawn.createdAt);
  const plan: CommentsPlan = {
    count,
    post: pickOrder(drawn.post, order),
    author: pickOrder(drawn.author, order),
    createdAt: pickOrder(drawn.createdAt, order),
    parent: new Uint32Array(count).fill(NO_PARENT),
    editedAt: new Uint32Array(count),
    deletedAt: new Uint32Array(count),
    isVisible: new Uint8Array(count),
    likes: new Uint32Array(count),
    dislikes: new Uint32Array(count),
    replies: new Uint32Array(count),
  };
  const lastReplyAt = attachReplies(random, plan, posts.count);
  for (let i = 0; i < count; i++) {
    if (random.chance(0.06)) plan.editedAt[i] = soonAfter(random, plan.createdAt[i]!, now);
    if (random.chance(DELETED_SHARE)) {
      // A deleted comment gets no replies and no edits.
      const from = Math.max(plan.createdAt[i]!, plan.editedAt[i]!, lastReplyAt[i]!);
      plan.deletedAt[i] = soonAfter(random, from, now);
    }
  }
  settleVisibility(plan, posts);
  return plan;
}

/** Gives about half of the comments an earlier parent under the same post. @returns the time of the last reply to each comment */
function attachReplies(random: Random, plan: CommentsPlan, postCount: number): Uint32Array {
  const latestOnPost = new Uint32Array(postCount).fill(NO_PARENT);
  const previousOnPost = new Uint32Array(plan.count);
  const depth = new Uint8Array(plan.count);
  const lastReplyAt = new Uint32Array(plan.count);
  for (let i = 0; i < plan.count; i++) {
    const post = plan.post[i]!;
    let candidate = latestOnPost[post]!;
    previousOnPost[i] = candidate;
    latestOnPost[post] = i;
    if (candidate === NO_PARENT || !random.chance(REPLY_SHARE)) continue;
    for (let back = random.int(6); back > 0 && previousOnPost[candidate] !== NO_PARENT; back--) {
      candidate = previousOnPost[candidate]!;
    }
    if (depth[candidate]! >= DEEPEST_REPLY) continue;
    plan.parent[i] = candidate;
    depth[i] = depth[candidate]! + 1;
    lastReplyAt[candidate] = plan.createdAt[i]!;
  }
  return lastReplyAt;
}

/** Children come after their parents, so one pass from the end settles every parent after all of its children. */
function settleVisibility(plan: CommentsPlan, posts: PostsPlan): void {
  for (let i = plan.count - 1; i >= 0; i--) {
    const isDeleted = plan.deletedAt[i] !== 0;
    if (!isDeleted) posts.comments[plan.post[i]!]!++;
    if (isDeleted && plan.replies[i] === 0) continue;
    plan.isVisible[i] = 1;
    if (plan.parent[i] !== NO_PARENT) plan.replies[plan.parent[i]!]!++;
  }
}

/** Returns the first comment without a parent on the post, or else on any post. */
export function findExampleComment({ post, parent, deletedAt }: CommentsPlan, examplePost: number): number {
  const isRoot = (_: number, row: number): boolean => parent[row] === NO_PARENT && deletedAt[row] === 0;
  const own = post.findIndex((of, row) => of === examplePost && isRoot(of, row));
  return own === -1 ? post.findIndex(isRoot) : own;
}
