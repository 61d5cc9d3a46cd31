import fc from 'fast-check';
import { EngagementJob } from '../../src/ranking/engagement.job.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { startApp, type TestApp } from '../support/app.js';
import { signUp, TEST_PASSWORD, type TestAccount } from '../support/accounts.js';
import { differences } from '../support/audit.js';
import type { Answer } from '../support/client.js';
import { forgetReaders, wronglyRanked } from '../support/ranks.js';
import { ReceivedLikesService } from '../../src/users/received-likes.service.js';
import { scale } from '../support/scale.js';

/** Two servers on one database act like two workers. */
let servers: [TestApp, TestApp];

/** Disables the cache, because a cached response may be 30 s old and counts are compared right after a change. */
const env = { CACHE_FEED_TTL_MS: '0', CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '100000' };

beforeAll(async () => {
  const first = await startApp({ env });
  servers = [first, await startApp({ beside: first, env })];
});
afterAll(async () => {
  await servers[1].close();
  await servers[0].close();
});

const PEOPLE = 5;
/** Number of initial posts. */
const POSTS = 3;

type Step =
  | { kind: 'vote'; who: number; post: number; value: 'like' | 'dislike' | null }
  | { kind: 'voteComment'; who: number; comment: number; value: 'like' | 'dislike' | null }
  | { kind: 'save'; who: number; post: number; isSaved: boolean }
  | { kind: 'follow'; who: number; whom: number; isFollowing: boolean }
  | { kind: 'comment'; who: number; post: number; parent: number | null }
  | { kind: 'uncomment'; comment: number }
  | { kind: 'publish'; who: number }
  | { kind: 'unpublish' | 'restore'; post: number }
  | { kind: 'leave'; who: number };

const who = fc.nat(PEOPLE - 1);
const post = fc.nat(POSTS + 2);
const value = fc.constantFrom('like' as const, 'dislike' as const, null);
const comment = fc.nat(30);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('vote' as const), who, post, value }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('voteComment' as const), who, comment, value }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const), who, post, isSaved: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('follow' as const), who, whom: who, isFollowing: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('comment' as const), who, post, parent: fc.option(comment) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('uncomment' as const), comment }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('publish' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unpublish' as const), post }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), post }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who }) },
);
/** Steps of one round are concurrent. Rounds run one after the other. */
const anyRounds = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 6 });

type Post = { id: string; author: number; isDeleted: boolean };
type Comment = { id: string; post: number; author: number; parent: Comment | null; isDeleted: boolean };

/** Holds the expected state in plain maps. */
class Model {
  readonly votes = new Map<string, string>();
  readonly saves = new Set<string>();
  readonly follows = new Set<string>();
  readonly posts: Post[] = [];
  readonly comments: Comment[] = [];
  /** Deleted accounts. */
  readonly left = new Set<number>();

  constructor(readonly people: TestAccount[]) {}

  isThere(post: number): boolean {
    return post < this.posts.length && !this.posts[post]!.isDeleted;
  }

  isLive(comment: Comment): boolean {
    return !comment.isDeleted && this.isThere(comment.post);
  }

  isVisible(comment: Comment): boolean {
    return !comment.isDeleted || this.comments.some((reply) => reply.parent === comment && this.isVisible(reply));
  }

  votesOn(target: string, value: string): number {
    return [...this.votes].filter(([key, held]) => key.endsWith(` ${target}`) && held === value).length;
  }

  /** Removes the account with its posts, comments, votes and follows. */
  leave(who: number): void {
    const { id, username } = this.people[who]!;
    this.left.add(who);
    for (const post of this.posts) if (post.author === who) post.isDeleted = true;
    for (const comment of this.comments) if (comment.author === who) comment.isDeleted = true;
    for (const key of this.votes.keys()) if (key.startsWith(`${id} `)) this.votes.delete(key);
    for (const key of this.saves) if (key.startsWith(`${id} `)) this.saves.delete(key);
    for (const key of this.follows) if (key.split(' ').includes(username)) this.follows.delete(key);
  }
}

/** A round has at most one step per subject, because the order of two steps would be unknown. */
function subjectOf(step: Step): string {
  switch (step.kind) {
    case 'vote':
    case 'save':
      return `${step.kind} ${step.who} ${step.post}`;
    case 'voteComment':
      return `${step.kind} ${step.who} ${step.comment}`;
    case 'follow':
      return `${step.kind} ${step.who} ${step.whom}`;
    case 'uncomment':
      return `${step.kind} ${step.comment}`;
    case 'unpublish':
    case 'restore':
      return `${step.kind} ${step.post}`;
    case 'leave':
      return `${step.kind} ${step.who}`;
    case 'comment':
    case 'publish':
      return `${step.kind} ${Math.random()}`;
  }
}

/** Returns the steps with a predictable outcome, because a deletion may come before or after the other steps of its round. */
function tellable(round: Step[], model: Model): Step[] {
  const steps = [...new Map(round.map((step) => [subjectOf(step), step])).values()];
  const leaving = new Set(steps.flatMap((step) => (step.kind === 'leave' ? [step.who] : [])));
  const goes = (who: number): boolean => model.left.has(who) || leaving.has(who);
  const postGoes = (at: number): boolean => !model.isThere(at) || goes(model.posts[at]!.author);
  const unpublished = new Set(steps.flatMap((step) => (step.kind === 'unpublish' ? [step.post] : [])));
  const restored = new Set(steps.flatMap((step) => (step.kind === 'restore' ? [step.post] : [])));
  const commentGoes = (at: number): boolean => {
    const comment = model.comments[at];
    if (comment === undefined || !model.isLive(comment) || goes(comment.author)) return true;
    return postGoes(comment.post) || unpublished.has(comment.post);
  };
  const uncommented = new Set(steps.flatMap((step) => (step.kind === 'uncomment' ? [step.comment] : [])));
  return steps.filter((step) => {
    switch (step.kind) {
      case 'leave':
        return !model.left.has(step.who);
      case 'publish':
        return !goes(step.who);
      case 'unpublish':
        return !postGoes(step.post);
      case 'restore':
        return step.post < model.posts.length && !model.isThere(step.post) && !goes(model.posts[step.post]!.author);
      case 'follow':
        return !goes(step.who) && !goes(step.whom);
      case 'uncomment':
        return !commentGoes(step.comment);
      case 'voteComment':
        return !goes(step.who) && !commentGoes(step.comment) && !uncommented.has(step.comment);
      case 'vote':
      case 'save':
      case 'comment': {
        if (goes(step.who) || step.post >= model.posts.length) return false;
        // A post deleted in an earlier round gets 404. A post deleted or restored in this round may get either response.
        if (restored.has(step.post)) return false;
        if (model.isThere(step.post) && (postGoes(step.post) || unpublished.has(step.post))) return false;
        const parent = step.kind === 'comment' ? step.parent : null;
        if (parent === null) return true;
        const isTombstone = model.comments[parent]?.isDeleted === true && model.isThere(model.comments[parent].post);
        return isTombstone || (!commentGoes(parent) && !uncommented.has(parent));
      }
    }
  });
}

describe('accounts, posts, votes, saves, follows, comments and their deletions over two servers', () => {
  it('leave the state that a plain model predicts, for all concurrent requests', async () => {
    await fc.assert(
      fc.asyncProperty(anyRounds, async (rounds) => {
        const people = await Promise.all(Array.from({ length: PEOPLE }, () => signUp(servers[0].client)));
        const model = new Model(people);
        for (let at = 0; at < POSTS; at++) await run(servers[0], { kind: 'publish', who: at }, model);
        for (const round of rounds) {
          const steps = tellable(round, model);
          await Promise.all(steps.map((step, index) => run(servers[index % 2]!, step, model)));
          for (const step of steps) if (step.kind === 'leave') model.leave(step.who);
        }
        await compare(model, await signUp(servers[1].client));
        await drainTasks();
        await compare(model, await signUp(servers[0].client));
        await rank();
      }),
      { numRuns: scale('communityRuns'), endOnFailure: true },
    );
    expect(await differences(servers[0].db)).toEqual([]);
  });
});

async function drainTasks(): Promise<void> {
  const { failed } = await servers[0].app.get(TaskWorker).drain(new AbortController().signal);
  expect(failed).toBe(0);
}

/** Runs the score job, which ranks every post by the formula. */
async function rank(): Promise<void> {
  const { app, db } = servers[0];
  await forgetReaders(db);
  const { slot, scoredAt } = (await app.get(EngagementJob).run())!;
  expect(await wronglyRanked(db, slot, scoredAt)).toEqual([]);
}

async function run({ patient: client }: TestApp, step: Step, model: Model): Promise<void> {
  const { people, posts } = model;
  const isGone = 'post' in step && step.kind !== 'unpublish' && !model.isThere(step.post);
  switch (step.kind) {
    case 'vote':
    case 'voteComment': {
      const { token, id } = people[step.who]!;
      const isPost = step.kind === 'vote';
      const target = isPost ? posts[step.post]!.id : model.comments[step.comment]!.id;
      const path = `/v1/${isPost ? 'posts' : 'comments'}/${target}/vote`;
      const answer: Answer =
        step.value === null
          ? await client.delete(path, { token })
          : await client.put(path, { token, body: { value: step.value } });
      // A reader can also delete their own vote on a deleted post.
      if (isGone && step.value !== null) {
        expect(answer.body.code).toBe('post_not_found');
        return;
      }
      expect([answer.status, answer.body.value]).toEqual([200, step.value]);
      if (step.value === null) model.votes.delete(`${id} ${target}`);
      else model.votes.set(`${id} ${target}`, step.value);
      return;
    }
    case 'save': {
      const { token, id } = people[step.who]!;
      const target = posts[step.post]!.id;
      const answer = await client.request(step.isSaved ? 'PUT' : 'DELETE', `/v1/posts/${target}/save`, { token });
      if (isGone && step.isSaved) {
        expect(answer.body.code).toBe('post_not_found');
        return;
      }
      expect([answer.status, answer.body.isSaved]).toEqual([200, step.isSaved]);
      model.saves[step.isSaved ? 'add' : 'delete'](`${id} ${target}`);
      return;
    }
    case 'follow': {
      const [follower, followed] = [people[step.who]!, people[step.whom]!];
      const path = `/v1/users/${followed.username}/follow`;
      const answer = await client.request(step.isFollowing ? 'PUT' : 'DELETE', path, { token: follower.token });
      if (follower === followed) {
        expect(answer.body.code).toBe('follow_self');
        return;
      }
      expect([answer.status, answer.body.isFollowing]).toEqual([200, step.isFollowing]);
      model.follows[step.isFollowing ? 'add' : 'delete'](`${follower.username} ${followed.username}`);
      return;
    }
    case 'comment': {
      const parent = step.parent === null ? null : model.comments[step.parent]!;
      const answer = await client.post(`/v1/posts/${posts[step.post]!.id}/comments`, {
        token: people[step.who]!.token,
        body: { content: 'hm', parentId: parent?.id ?? null },
      });
      if (isGone) expect(answer.body.code).toBe('post_not_found');
      else if (parent?.isDeleted) expect(answer.body.code).toBe('comment_not_found');
      else if (parent !== null && parent.post !== step.post) expect(answer.body.code).toBe('parent_mismatch');
      else {
        expect(answer.status).toBe(201);
        const { post, who: author } = step;
        model.comments.push({ id: answer.body.id as string, post, author, parent, isDeleted: false });
      }
      return;
    }
    case 'uncomment': {
      const target = model.comments[step.comment]!;
      const { token } = people[target.author]!;
      expect((await client.delete(`/v1/comments/${target.id}`, { token })).status).toBe(204);
      target.isDeleted = true;
      return;
    }
    case 'publish': {
      const body = { title: 'Notes', content: 'The engine weaves patterns.', type: 'article' };
      const answer = await client.post('/v1/posts', { token: people[step.who]!.token, body });
      expect(answer.status).toBe(201);
      model.posts.push({ id: answer.body.id as string, author: step.who, isDeleted: false });
      return;
    }
    case 'unpublish': {
      const target = posts[step.post]!;
      const { token } = people[target.author]!;
      expect((await client.delete(`/v1/posts/${target.id}`, { token })).status).toBe(204);
      target.isDeleted = true;
      return;
    }
    case 'restore': {
      const target = posts[step.post]!;
      const { token } = people[target.author]!;
      expect((await client.post(`/v1/drafts/${target.id}/restore`, { token })).status).toBe(201);
      target.isDeleted = false;
      return;
    }
    case 'leave': {
      const { token } = people[step.who]!;
      const answer = await client.delete('/v1/users/me', { token, body: { password: TEST_PASSWORD } });
      expect(answer.status).toBe(204);
    }
  }
}

/** Compares the model with the responses of the other server. */
async function compare(model: Model, { token: reader }: TestAccount): Promise<void> {
  const [{ app, client }, { client: other }] = servers;
  await app.get(ReceivedLikesService).fold(AbortSignal.timeout(60_000));
  const live = model.comments.filter((comment) => model.isLive(comment));
  const there = model.posts.filter(({ isDeleted }) => !isDeleted);
  const targets = [...there, ...live].map(({ id }) => id);
  for (const [who, { id, token, username }] of model.people.entries()) {
    const profile = await other.get(`/v1/users/${username}`, { token: reader });
    if (model.left.has(who)) {
      expect(profile.status).toBe(404);
      continue;
    }
    const own = there.filter(({ author }) => author === who);
    expect(profile.body.stats).toEqual({
      followersCount: [...model.follows].filter((key) => key.endsWith(` ${username}`)).length,
      followingCount: [...model.follows].filter((key) => key.startsWith(`${username} `)).length,
      postsCount: own.length,
      likesReceivedCount: own.reduce((sum, post) => sum + model.votesOn(post.id, 'like'), 0),
    });
    for (let from = 0; from < targets.length; from += 100) {
      const asked = targets.slice(from, from + 100);
      const { body } = await other.get(`/v1/viewer?posts=${asked.join(',')}`, { token });
      expect(body.posts).toEqual(
        asked.map((target) => ({
          postId: target,
          vote: model.votes.get(`${id} ${target}`) ?? null,
          isSaved: model.saves.has(`${id} ${target}`),
          isHidden: false,
          watch: null,
        })),
      );
    }
    const { body: list } = await client.get(`/v1/users/${username}/followers?limit=100`, { token: reader });
    const followers = list.data.map(({ user }: { user: { username: string } }) => user.username);
    const expected = model.people
      .map((person) => person.username)
      .filter((name) => model.follows.has(`${name} ${username}`));
    expect(followers.sort()).toEqual(expected.sort());
  }
  for (const [index, { id, isDeleted }] of model.posts.entries()) {
    const { status, body } = await other.get(`/v1/posts/${id}`, { token: reader });
    expect(status).toBe(isDeleted ? 404 : 200);
    if (isDeleted) continue;
    expect(body.stats).toMatchObject({
      likesCount: model.votesOn(id, 'like'),
      dislikesCount: model.votesOn(id, 'dislike'),
      commentsCount: live.filter(({ post: on }) => on === index).length,
    });
    const { body: page } = await client.get(`/v1/posts/${id}/comments?limit=100`, { token: reader });
    const roots = model.comments.filter((root) => root.post === index && root.parent === null && model.isVisible(root));
    expect(page.data.map((root: { id: string }) => root.id).sort()).toEqual(roots.map((root) => root.id).sort());
  }
  for (const { id } of live) {
    const { body } = await client.get(`/v1/comments/${id}`, { token: reader });
    expect(body.stats).toEqual({
      likesCount: model.votesOn(id, 'like'),
      dislikesCount: model.votesOn(id, 'dislike'),
      repliesCount: model.comments.filter((reply) => reply.parent?.id === id && model.isVisible(reply)).length,
    });
  }
}
