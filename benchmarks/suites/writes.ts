import type { BenchmarkContext } from '../context.js';
import type { Dataset, KnownUser } from '../data/dataset.js';
import { runContest, type PlanInput } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { specOf } from './dialects.js';
import { closedPlan } from './plans.js';
import type { Suite } from './suite.js';

type Write = Pick<PreparedRequest, 'method' | 'path' | 'expect'> & { body?: object };
type Target = { id: string; username: string };
type Actor = KnownUser & { headers: Record<string, string> };

/** Number of writing accounts, so that no account writes twice at the same time. */
const WRITERS = 2_000;
/** Distinct (account, target) pairs prepared per run. */
const PAIRS = 20_000;

/** Writes of one account on one target, in order. Each write changes something, and the last restores the first state. */
export type Steps = (actor: Actor, target: Target) => Write[];

const vote = (id: string, value: 'like' | 'dislike'): Write => ({
  method: 'PUT',
  path: `/v1/posts/${id}/vote`,
  body: { value },
  expect: { status: 200, members: { targetId: id, value } },
});

export const voting: Steps = (_actor, { id }) => [vote(id, 'like'), vote(id, 'dislike')];

export const saving: Steps = (_actor, { id }) => [
  { method: 'PUT', path: `/v1/posts/${id}/save`, expect: { status: 200, members: { postId: id, isSaved: true } } },
  { method: 'DELETE', path: `/v1/posts/${id}/save`, expect: { status: 200, members: { postId: id, isSaved: false } } },
];

export const following: Steps = (_actor, { username }) => {
  const path = `/v1/users/${username}/follow`;
  return [
    { method: 'PUT', path, expect: { status: 200, members: { username, isFollowing: true } } },
    { method: 'DELETE', path, expect: { status: 200, members: { username, isFollowing: false } } },
  ];
};

export const commenting: Steps = (actor, { id }) => {
  const content = `A thought by ${actor.username} on the second paragraph: the argument holds, the example does not.`;
  return [
    {
      method: 'POST',
      path: `/v1/posts/${id}/comments`,
      body: { content },
      expect: { status: 201, members: { postId: id, content } },
    },
  ];
};

export const viewing: Steps = (_actor, { id }) => [
  { method: 'POST', path: `/v1/posts/${id}/events`, body: { kind: 'view' }, expect: { status: 200 } },
];

/** Turns accounts times targets into request lanes. An account always uses the same connection, like a person. */
export class WriteLoad {
  private constructor(
    readonly actors: Actor[],
    private readonly posts: string[],
  ) {}

  static async prepare(context: BenchmarkContext, dataset: Dataset): Promise<WriteLoad> {
    // A stored dataset may be older than ENGAGEMENT_INTERVAL_MINUTES, and the score job due.
    await dataset.product.collection('score_epochs').updateOne({}, { $set: { scoredAt: new Date() } });
    const users = await dataset.users(WRITERS);
    const { posts } = await dataset.productOrder();
    const actors = users.map((user) => {
      const authorization = `Bearer ${context.tokenOf(user.id)}`;
      return { ...user, headers: { authorization, 'content-type': 'application/json' } };
    });
    return new WriteLoad(
      actors,
      posts.map((post) => post.id),
    );
  }

  /** @param hotTargets 1: all accounts write to one target; otherwise the number of targets */
  requests(steps: Steps, hotTargets: number, salt: number, pairCount: number = PAIRS): PreparedRequest[][] {
    const perActor = Math.max(1, Math.floor(pairCount / this.actors.length));
    const targets = Math.min(hotTargets, this.posts.length);
    return this.actors.map((actor, index) => {
      const count = Math.min(perActor, targets);
      const pairs = Array.from({ length: count }, (_, pair) =>
        this.target(actor, index * 7919 + pair * 104_729 + salt, targets),
      );
      const rounds = pairs.map((target) => steps(actor, target));
      // All first steps come before all second steps, so that an undo never follows its write directly.
      const longest = Math.max(...rounds.map((round) => round.length));
      return Array.from({ length: longest }, (_, step) => rounds.flatMap((round) => round[step] ?? []))
        .flat()
        .map((write) => prepared(actor, write));
    });
  }

  private target(actor: Actor, number: number, targets: number): Target {
    let user = this.actors[number % this.actors.length]!;
    if (user.id === actor.id) user = this.actors[(number + 1) % this.actors.length]!;
    return { id: this.posts[number % targets]!, username: user.username };
  }
}

function prepared(actor: Actor, { method, path, body, expect }: Write): PreparedRequest {
  const { authorization } = actor.headers;
  if (body === undefined) return { method, path, headers: { authorization: authorization! }, expect };
  return { method, path, headers: actor.headers, body: JSON.stringify(body), expect };
}

/** Returns more pairs if no pair may be written twice, because warm-up and window together send each pair once. */
export function pairCountOf({ options }: BenchmarkContext, isOnce: boolean): number {
  return isOnce && !options.isQuick ? 4 * PAIRS : PAIRS;
}

/** Turns lanes per account into lanes per connection: whole accounts, one after the other. */
export function writePlan(context: BenchmarkContext, perActor: PreparedRequest[][], connections?: number): PlanInput {
  const plan = closedPlan(context, [], connections === undefined ? {} : { connections });
  if (plan.mode !== 'closed') return plan;
  const count = Math.min(plan.connections, perActor.length);
  const lanes = Array.from({ length: count }, (_, lane) =>
    interleave(perActor.filter((_each, index) => index % count === lane)),
  );
  return { ...plan, connections: count, lanes };
}

/** Takes the first request of every account, then the second of every account …, which preserves each account's own order. */
function interleave(lists: PreparedRequest[][]): PreparedRequest[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

/** Jobs count the likes of authors apart from the votes, as part of the price. No score job may start during a run. */
export const COUNTING = { JOBS_ENABLED: 'true', ENGAGEMENT_INTERVAL_MINUTES: '1440' };
/** Excludes the search index, which a server would build first. */
export const COUNTING_ALONE = { ...COUNTING, SEARCH: 'off' };

type WriteSuiteOptions = {
  /** No pair may be written twice, because the second write costs less. */
  isOnce?: boolean;
};

function writeSuite(
  name: string,
  title: string,
  question: string,
  steps: Steps,
  hotTargets: number,
  { isOnce = false }: WriteSuiteOptions = {},
): Suite {
  return {
    name,
    title,
    question,
    async run(context) {
      const dataset = await context.dataset();
      const load = await WriteLoad.prepare(context, dataset);
      const subjects = ['express-optimised', 'product'] as const;
      // Every session has other pairs, because the server still stores events of the last session.
      const session = Math.floor(Date.now() / 1000) % 1_000_003;
      const pairs = pairCountOf(context, isOnce);
      await runContest(context, {
        suite: name,
        isCold: isOnce,
        contenders: subjects.map((subject) => ({
          subject,
          spec: () => specOf(subject, dataset, { env: COUNTING }),
          plan: (_running, run) =>
            writePlan(context, load.requests(steps, hotTargets, session + run * 15_485_863, pairs)),
        })),
      });
    },
  };
}

export const WRITE_SUITES: Suite[] = [
  writeSuite('vote-hot', 'Votes on one post', 'Many accounts like and dislike the same post.', voting, 1),
  writeSuite('vote-spread', 'Votes on many posts', 'Many accounts vote all over the dataset.', voting, Infinity),
  writeSuite('save', 'Saves', 'Many accounts save posts and take it back.', saving, Infinity),
  writeSuite('follow', 'Follows', 'Many accounts follow others and take it back.', following, Infinity),
  writeSuite('comment-create', 'New comments', 'Many accounts comment on many posts.', commenting, Infinity),
  writeSuite(
    'event-view',
    'Views',
    'Many accounts view many posts; no account views a post twice.',
    viewing,
    Infinity,
    { isOnce: true },
  ),
];
