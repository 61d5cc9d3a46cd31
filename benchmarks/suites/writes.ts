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

/** How many accounts write: enough that no one of them is in two places at once. */
const WRITERS = 2_000;
/** Distinct (account, target) pairs prepared per run. */
const PAIRS = 20_000;

/** The writes of one account on one target, in order; every one changes something, the last restores the first state. */
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

/** Accounts times targets as request lanes: an account always uses the same connection, as a person does. */
export class WriteLoad {
  private constructor(
    private readonly actors: Actor[],
    private readonly posts: string[],
  ) {}

  static async prepare(context: BenchmarkContext, dataset: Dataset): Promise<WriteLoad> {
    // a kept dataset may be older than ENGAGEMENT_INTERVAL_MINUTES, and the score job due
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

  /** @param hotTargets 1: all write to one target; otherwise the targets are spread over that many */
  requests(steps: Steps, hotTargets: number, salt: number, pairCount: number = PAIRS): PreparedRequest[][] {
    const perActor = Math.max(1, Math.floor(pairCount / this.actors.length));
    const targets = Math.min(hotTargets, this.posts.length);
    return this.actors.map((actor, index) => {
      const count = Math.min(perActor, targets);
      const pairs = Array.from({ length: count }, (_, pair) =>
        this.target(actor, index * 7919 + pair * 104_729 + salt, targets),
      );
      const rounds = pairs.map((target) => steps(actor, target));
      // all first steps, then all second ones, so that an undo never follows its write directly
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

/** More where nothing may be written twice: warm-up and window together send each pair once. */
export function pairCountOf({ options }: BenchmarkContext, isOnce: boolean): number {
  return isOnce && !options.isQuick ? 4 * PAIRS : PAIRS;
}

/** Lanes per account become lanes per connection: whole accounts, one after the other. */
export function writePlan(context: BenchmarkContext, perActor: PreparedRequest[][], connections?: number): PlanInput {
  const plan = closedPlan(context, [], connections === undefined ? {} : { connections });
  if (plan.mode !== 'closed') return plan;
  const count = Math.min(plan.connections, perActor.length);
  const lanes = Array.from({ length: count }, (_, lane) =>
    interleave(perActor.filter((_each, index) => index % count === lane)),
  );
  return { ...plan, connections: count, lanes };
}

/** First of every account, then second of every account …: keeps each account's own order. */
function interleave(lists: PreparedRequest[][]): PreparedRequest[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

/** The likes that authors received are counted apart from the votes, and belong to their price. No score job in the middle of a run. */
export const COUNTING = { JOBS_ENABLED: 'true', ENGAGEMENT_INTERVAL_MINUTES: '1440' };
/** Without the index for search, which a server would build first. */
export const COUNTING_ALONE = { ...COUNTING, SEARCH: 'off' };

type WriteSuiteOptions = {
  /** nothing may be written twice: the second time costs less */
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
      // other pairs every session: events of the last one are still known to the server
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
