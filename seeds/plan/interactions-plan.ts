import { AliasTable } from '../sampling/alias-table.js';
import { KeySet } from '../sampling/key-set.js';
import { Random } from '../sampling/random.js';
import { orderByTime, pickOrder, soonAfter } from './clock.js';
import type { CommentsPlan } from './comments-plan.js';
import type { PeoplePlan } from './people-plan.js';
import { POST_STATES, type PostsPlan } from './posts-plan.js';
import { STREAMS } from './streams.js';

export const INTERACTIONS = { postLike: 0, postDislike: 1, commentLike: 2, commentDislike: 3, save: 4 } as const;
// Weights in the order of INTERACTIONS.
const byKind = new AliasTable([66, 8, 9, 1, 16]);

/** One column per property, one row per vote or save, in the order of their times. */
export interface InteractionsPlan {
  count: number;
  user: Uint32Array;
  /** A row of the posts or of the comments, by kind. */
  target: Uint32Array;
  kind: Uint32Array;
  createdAt: Uint32Array;
}

/** Also counts every row into the columns of its post, comment and author. */
export function planInteractions(
  seed: number,
  count: number,
  people: PeoplePlan,
  posts: PostsPlan,
  comments: CommentsPlan,
  now: number,
): InteractionsPlan {
  const random = new Random(seed, STREAMS.interactions);
  const byAppeal = commentAppeal(random, comments);
  const known = new KeySet(count);
  const drawn = {
    user: new Uint32Array(count),
    target: new Uint32Array(count),
    kind: new Uint32Array(count),
    createdAt: new Uint32Array(count),
  };
  const targets = Math.max(posts.count, comments.count);
  for (let row = 0; row < count;) {
    let kind = byKind.sample(random);
    if (isCommentVote(kind) && !byAppeal) kind = INTERACTIONS.postLike;
    const target = isCommentVote(kind) ? byAppeal!.sample(random) : posts.byPopularity.sample(random);
    const user = people.byActivity.sample(random);
    const owner = isCommentVote(kind) ? comments.author[target] : posts.author[target];
    if (user === owner) continue;
    // Space of the unique key: a post's votes, a comment's votes, saves.
    const space = kind === INTERACTIONS.save ? 2 : isCommentVote(kind) ? 1 : 0;
    if (!known.add((user * targets + target) * 3 + space)) continue;

    const targetCreatedAt = isCommentVote(kind) ? comments.createdAt[target]! : posts.createdAt[target]!;
    drawn.user[row] = user;
    drawn.target[row] = target;
    drawn.kind[row] = kind;
    drawn.createdAt[row] = soonAfter(random, Math.max(targetCreatedAt, people.createdAt[user]!), now);
    countIn(kind, target, people, posts, comments);
    row++;
  }
  const order = orderByTime(drawn.createdAt);
  return {
    count,
    user: pickOrder(drawn.user, order),
    target: pickOrder(drawn.target, order),
    kind: pickOrder(drawn.kind, order),
    createdAt: pickOrder(drawn.createdAt, order),
  };
}

export const isCommentVote = (kind: number): boolean =>
  kind === INTERACTIONS.commentLike || kind === INTERACTIONS.commentDislike;

/** Deleted comments get no votes. Returns null if there is no comment to vote on. */
function commentAppeal(random: Random, comments: CommentsPlan): AliasTable | null {
  const appeal = new Float64Array(comments.count);
  let total = 0;
  for (let i = 0; i < comments.count; i++) {
    if (comments.deletedAt[i] === 0) total += appeal[i] = random.pareto(1.2);
  }
  return total > 0 ? new AliasTable(appeal) : null;
}

function countIn(kind: number, target: number, people: PeoplePlan, posts: PostsPlan, comments: CommentsPlan): void {
  switch (kind) {
    case INTERACTIONS.postLike:
      posts.likes[target]!++;
      if (posts.state[target] === POST_STATES.listed) people.likesReceived[posts.author[target]!]!++;
      break;
    case INTERACTIONS.postDislike:
      posts.dislikes[target]!++;
      break;
    case INTERACTIONS.commentLike:
      comments.likes[target]!++;
      break;
    case INTERACTIONS.commentDislike:
      comments.dislikes[target]!++;
      break;
    default:
      posts.saves[target]!++;
  }
}
