import { type DatasetSizes, type SeedRequest, sizesOf } from '../profiles.js';
import { countAudienceDays, planAudience } from './audience-plan.js';
import { countAuthorDays } from './author-days-plan.js';
import { type CollectionsPlan, planCollections } from './collections-plan.js';
import { type CommentsPlan, planComments } from './comments-plan.js';
import { type FollowsPlan, planFollows } from './follows-plan.js';
import { type InteractionsPlan, planInteractions } from './interactions-plan.js';
import { type PeoplePlan, planPeople } from './people-plan.js';
import { planPosts, POST_STATES, type PostsPlan } from './posts-plan.js';

/**
 * All posts, follows, votes and comments as columns of numbers, about 40 MB for the full profile. Counters are computed from the rows.
 * Documents are generated from the plan afterwards, in any order and any number of times.
 */
export interface Plan {
  request: SeedRequest;
  sizes: DatasetSizes;
  /** Seconds since 1970. */
  now: number;
  people: PeoplePlan;
  posts: PostsPlan;
  comments: CommentsPlan;
  interactions: InteractionsPlan;
  follows: FollowsPlan;
  collections: CollectionsPlan;
  audienceDays: number;
  authorDays: number;
  /** rows of follows by the followed user */
  followsOf: Map<number, number[]>;
  /** Rows of posts, grouped by author: the posts of user u are `postsByAuthor[firstPost[u] … firstPost[u + 1] - 1]`. */
  postsByAuthor: Uint32Array;
  firstPost: Uint32Array;
}

export function makePlan(request: SeedRequest): Plan {
  const sizes = sizesOf(request);
  const now = Math.floor(request.now.getTime() / 1000);
  const { seed } = request;
  const people = planPeople(seed, sizes, now);
  const posts = planPosts(seed, sizes.posts, people, now);
  const comments = planComments(seed, sizes.comments, people, posts, now);
  const interactions = planInteractions(seed, sizes.interactions, people, posts, comments, now);
  const follows = planFollows(seed, sizes.follows, people, now);
  planAudience(seed, posts);
  for (let i = 0; i < posts.count; i++) {
    if (posts.state[i] === POST_STATES.listed) people.listedPosts[posts.author[i]!]!++;
  }
  const audienceDays = countAudienceDays(posts, now);
  const byAuthor = groupByAuthor(posts, people);
  const followsOf = new Map<number, number[]>();
  for (let row = 0; row < follows.count; row++) {
    const rows = followsOf.get(follows.following[row]!) ?? [];
    rows.push(row);
    followsOf.set(follows.following[row]!, rows);
  }
  const authorDays = countAuthorDays({ posts, ...byAuthor, follows, followsOf, now });
  const collections = planCollections(seed, sizes.collections, people, posts, byAuthor, now);
  return {
    request,
    sizes,
    now,
    people,
    posts,
    comments,
    interactions,
    follows,
    collections,
    audienceDays,
    authorDays,
    followsOf,
    ...byAuthor,
  };
}

function groupByAuthor(posts: PostsPlan, people: PeoplePlan): Pick<Plan, 'postsByAuthor' | 'firstPost'> {
  const firstPost = new Uint32Array(people.count + 1);
  for (let i = 0; i < posts.count; i++) firstPost[posts.author[i]! + 1]!++;
  for (let user = 0; user < people.count; user++) firstPost[user + 1]! += firstPost[user]!;
  const postsByAuthor = new Uint32Array(posts.count);
  const next = firstPost.slice();
  for (let i = 0; i < posts.count; i++) postsByAuthor[next[posts.author[i]!]!++] = i;
  return { postsByAuthor, firstPost };
}
