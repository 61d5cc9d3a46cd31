import fc from 'fast-check';
import { startApp, type TestApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import type { Answer } from '../support/client.js';
import { insertPeople, type TestPerson } from '../support/people.js';
import { writePost } from '../support/written.js';

/** Two servers on one database, as two workers are. */
let servers: [TestApp, TestApp];

beforeAll(async () => {
  const first = await startApp();
  servers = [first, await startApp({ MONGODB_DATABASE: first.db.databaseName })];
});
afterAll(async () => {
  await servers[1].close();
  await servers[0].close();
});

const PEOPLE = 4;
const POSTS = 3;

type Step =
  | { kind: 'vote'; who: number; post: number; value: 'like' | 'dislike' | null }
  | { kind: 'voteComment'; who: number; comment: number; value: 'like' | 'dislike' | null }
  | { kind: 'save'; who: number; post: number; isSaved: boolean }
  | { kind: 'follow'; who: number; whom: number; isFollowing: boolean }
  | { kind: 'comment'; who: number; post: number; parent: number | null }
  | { kind: 'uncomment'; comment: number };

const who = fc.nat(PEOPLE - 1);
const post = fc.nat(POSTS - 1);
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
);
/** Steps of one round are sent at once; rounds follow each other. */
const anyRounds = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 6 });

type Comment = { id: string; post: number; author: number; parent: Comment | null; isDeleted: boolean };

/** What must be true, kept in plain maps. */
class Model {
  readonly votes = new Map<string, string>();
  readonly saves = new Set<string>();
  readonly follows = new Set<string>();
  readonly comments: Comment[] = [];

  isVisible(comment: Comment): boolean {
    return !comment.isDeleted || this.comments.some((reply) => reply.parent === comment && this.isVisible(reply));
  }

  votesOn(target: string, value: string): number {
    return [...this.votes].filter(([key, held]) => key.endsWith(` ${target}`) && held === value).length;
  }
}

/** Two steps of a round with one subject would leave it open which came last. */
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
    case 'comment':
      return `${step.kind} ${Math.random()}`;
  }
}

describe('votes, saves, follows and comments over two servers', () => {
  it('leave exactly what a plain model says, whatever is sent at once', async () => {
    await fc.assert(
      fc.asyncProperty(anyRounds, async (rounds) => {
        const people = await insertPeople(servers[0], PEOPLE);
        const posts = await Promise.all(Array.from({ length: POSTS }, () => writePost(servers[0], people[0]!)));
        const model = new Model();
        for (const round of rounds) {
          const known = model.comments.length;
          const steps = [...new Map(round.map((step) => [subjectOf(step), step])).values()].filter(
            (step) =>
              (step.kind !== 'voteComment' && step.kind !== 'uncomment') ||
              (step.comment < known && !model.comments[step.comment]!.isDeleted),
          );
          // what a comment that disappears in this round answers to others is open: leave it alone
          const leaving = new Set(steps.flatMap((step) => (step.kind === 'uncomment' ? [step.comment] : [])));
          const sent = steps.filter(
            (step) =>
              !(step.kind === 'voteComment' && leaving.has(step.comment)) &&
              !(step.kind === 'comment' && step.parent !== null && (step.parent >= known || leaving.has(step.parent))),
          );
          await Promise.all(sent.map((step, index) => run(servers[index % 2]!, step, people, posts, model)));
        }
        await compare(people, posts, model);
      }),
      { numRuns: 25 },
    );
    expect(await differences(servers[0].db)).toEqual([]);
  }, 120_000);
});

async function run(
  { client }: TestApp,
  step: Step,
  people: TestPerson[],
  posts: { id: string }[],
  model: Model,
): Promise<void> {
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
      expect([answer.status, answer.body.value]).toEqual([200, step.value]);
      if (step.value === null) model.votes.delete(`${id} ${target}`);
      else model.votes.set(`${id} ${target}`, step.value);
      return;
    }
    case 'save': {
      const { token, id } = people[step.who]!;
      const target = posts[step.post]!.id;
      const answer = await client.request(step.isSaved ? 'PUT' : 'DELETE', `/v1/posts/${target}/save`, { token });
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
      if (parent?.isDeleted) expect(answer.body.code).toBe('comment_not_found');
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
    }
  }
}

/** Everything the model knows against what the servers answer, this time asked of the other one. */
async function compare(people: TestPerson[], posts: { id: string }[], model: Model): Promise<void> {
  const [{ client }, { client: other }] = servers;
  const live = model.comments.filter(({ isDeleted }) => !isDeleted);
  const targets = [...posts.map(({ id }) => id), ...live.map(({ id }) => id)];
  for (const { id, token, username } of people) {
    for (let from = 0; from < targets.length; from += 100) {
      const asked = targets.slice(from, from + 100);
      const { body } = await other.get(`/v1/interactions?targets=${asked.join(',')}`, { token });
      expect(body.data).toEqual(
        asked.map((target) => ({
          targetId: target,
          vote: model.votes.get(`${id} ${target}`) ?? null,
          isSaved: model.saves.has(`${id} ${target}`),
        })),
      );
    }
    const { body: profile } = await client.get(`/v1/users/${username}/followers?limit=100`);
    const followers = profile.data.map(({ user }: { user: { username: string } }) => user.username);
    const expected = people.map((person) => person.username).filter((name) => model.follows.has(`${name} ${username}`));
    expect(followers.sort()).toEqual(expected.sort());
  }
  for (const [index, { id }] of posts.entries()) {
    const { body } = await other.get(`/v1/posts/${id}`, { token: people[0]!.token });
    expect(body.stats).toMatchObject({
      likesCount: model.votesOn(id, 'like'),
      dislikesCount: model.votesOn(id, 'dislike'),
      commentsCount: live.filter(({ post: on }) => on === index).length,
    });
    const { body: page } = await client.get(`/v1/posts/${id}/comments?limit=100`, { token: people[0]!.token });
    const roots = model.comments.filter((root) => root.post === index && root.parent === null && model.isVisible(root));
    expect(page.data.map((root: { id: string }) => root.id).sort()).toEqual(roots.map((root) => root.id).sort());
  }
  for (const { id } of live) {
    const { body } = await client.get(`/v1/comments/${id}`);
    expect(body.stats).toEqual({
      likesCount: model.votesOn(id, 'like'),
      dislikesCount: model.votesOn(id, 'dislike'),
      repliesCount: model.comments.filter((reply) => reply.parent?.id === id && model.isVisible(reply)).length,
    });
  }
}
