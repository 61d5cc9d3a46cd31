import { ObjectId } from 'mongodb';
import { AFFINITIES, MAX_FEEDBACK } from '../../src/for-you/affinities.schema.js';
import type { ForYouCardDto } from '../../src/for-you/dto/for-you.dto.js';
import { MAX_SNAPSHOTS, SNAPSHOTS } from '../../src/for-you/feed-snapshot.schema.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import { runScoreJob } from '../support/ranks.js';
import { drainTasks, idsOf, verbsOf } from '../support/verbs.js';
import type { Person, PersonWithPassword } from '../support/world.js';
import { TEST_PASSWORD } from '../support/accounts.js';

const PATH = 'feed/for-you';
const AUTHORS = 30;

describe('GET /v1/feed/for-you', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;
  const { ok, send, walk } = verbsOf(app);
  let authors: Person[];
  let posts: string[];
  let reader: PersonWithPassword;

  const first = async (by: Person = reader, limit = 100): Promise<ForYouCardDto[]> =>
    (await ok(by, 'GET', `${PATH}?limit=${limit}`)).data;
  const reasonOf = async (id: string) => (await first()).find((card) => card.id === id)?.reason;
  const feedback = (postId: string, kind: 'more' | 'less', by: Person = reader) =>
    ok(by, 'PUT', `${PATH}/feedback`, { postId, kind });
  const rowsOf = async ({ _id }: { _id: ObjectId }) => [
    await app.db.collection(AFFINITIES).countDocuments({ _id }),
    await app.db.collection(SNAPSHOTS).countDocuments({ userId: _id }),
  ];
  /** Moves every post in the ranking. */
  const flip = async (viewsOf = () => Math.floor(Math.random() * 1_000)) => {
    for (const { _id } of await app.db.collection('posts').find().toArray())
      await app.db.collection('posts').updateOne({ _id }, { $set: { 'stats.viewsCount': viewsOf() } });
    expect(await runScoreJob(app)).not.toBeNull();
  };

  beforeAll(async () => {
    authors = await world.people(AUTHORS);
    posts = [];
    for (let round = 0; round < 3; round++)
      for (const [at, by] of authors.entries())
        posts.push((await world.post({ by, title: `Post ${round} of ${at}`, tags: [`topic-${at}`] })).id);
  });

  beforeEach(async () => {
    reader = await world.person({ overHttp: true });
  });

  it('shows a new account popular posts, and at most two of an author in any 20', async () => {
    const cards = await walk(PATH, 7, reader);
    expect(new Set(cards.map(({ reason }) => reason))).toEqual(new Set(['popular']));
    expect(cards.length).toBeGreaterThanOrEqual(2 * AUTHORS);
    for (let from = 0; from + 20 <= cards.length; from++) {
      const counts = new Map<string, number>();
      for (const { author } of cards.slice(from, from + 20)) counts.set(author.id, (counts.get(author.id) ?? 0) + 1);
      expect(Math.max(...counts.values())).toBeLessThanOrEqual(2);
    }
  });

  it('has ten pages without a repetition while ranks flip', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 10; page++) {
      const { data, page: next } = await ok(reader, 'GET', `${PATH}?limit=5${cursor}`);
      expect(data).toHaveLength(5);
      seen.push(...idsOf(data));
      cursor = `&cursor=${next.nextCursor}`;
      if (page % 3 === 0) await flip();
    }
    expect(new Set(seen).size).toBe(50);
  });

  it('says why it shows a post, and puts what the reader follows first', async () => {
    const [followed, liker, writer] = authors.slice(5, 8) as [Person, Person, Person];
    const [ofFollowed, liked, ofTag, similar, source] = [
      posts[5]!,
      posts[9]!,
      posts[10]!,
      posts[11]!,
      posts[AUTHORS + 11]!,
    ];
    await flip(() => 100);
    await ok(reader, 'PUT', `users/${followed.username}/follow`);
    await ok(reader, 'PUT', `users/${liker.username}/follow`);
    await ok(liker, 'PUT', `posts/${liked}/vote`, { value: 'like' });
    await ok(reader, 'PUT', 'tags/topic-10/follow');
    await ok(reader, 'PUT', `posts/${source}/vote`, { value: 'like' });

    const cards = await first();

    expect(await reasonOf(ofFollowed)).toBe('followed_author');
    expect(await reasonOf(liked)).toBe('liked_by_followed');
    expect(await reasonOf(ofTag)).toBe('followed_tag');
    expect(await reasonOf(similar)).toBe('related');
    expect(await reasonOf(posts.at(-1)!)).toBe('popular');
    expect(cards.findIndex(({ reason }) => reason === 'followed_author')).toBeLessThan(5);
    expect(idsOf(cards)).not.toContain(source);
    expect(cards.filter(({ author }) => author.id === writer.id)).not.toEqual([]);
    const own = await world.post({ by: reader });
    expect(idsOf(await first())).not.toContain(own.id);
  });

  it('hides a post after “less”, and moves its author and tags down; “more” moves them up', async () => {
    const [before] = await first(reader, 1);
    const rankOf = async (author: string) => (await first()).findIndex((card) => card.author.id === author);
    const placeOf = async (id: string) => idsOf(await first()).indexOf(id);

    expect(await feedback(before!.id, 'less')).toEqual({ postId: before!.id, kind: 'less' });
    expect(idsOf(await first())).not.toContain(before!.id);
    expect(await rankOf(before!.author.id)).toBeGreaterThan(AUTHORS / 2);
    const other = (await first())[AUTHORS]!;
    await feedback(other.id, 'more');
    expect(await placeOf(other.id)).toBeLessThan(AUTHORS);
    await feedback(before!.id, 'more');
    expect(idsOf(await first())).toContain(before!.id);
    expectProblem(
      await send(reader, 'PUT', `${PATH}/feedback`, { postId: new ObjectId().toHexString(), kind: 'less' }),
      404,
      'post_not_found',
    );
    const { feedback: stored } = (await app.db.collection(AFFINITIES).findOne({ _id: reader._id }))!;
    expect(stored).toHaveLength(2);
    expect(MAX_FEEDBACK).toBe(100);
  });

  it('respects blocks, mutes, filters and hidden posts, also on the next pages of a feed', async () => {
    const { data, page } = await ok(reader, 'GET', `${PATH}?limit=2`);
    const rest = (await first()).filter(({ id }) => !idsOf(data).includes(id));
    const [blocked, muted, hidden, filtered] = rest.filter(
      (card, at) => rest.findIndex(({ author }) => author.id === card.author.id) === at,
    ) as [ForYouCardDto, ForYouCardDto, ForYouCardDto, ForYouCardDto];
    await ok(reader, 'PUT', `users/${blocked.author.username}/block`);
    await ok(reader, 'PUT', `users/${muted.author.username}/mute`, {});
    await ok(reader, 'PUT', `posts/${hidden.id}/hide`);
    await ok(reader, 'POST', 'users/me/filters', { phrase: filtered.title, in: ['posts'], action: 'hide' });

    const later = (await ok(reader, 'GET', `${PATH}?limit=100&cursor=${page.nextCursor}`)).data as ForYouCardDto[];
    const fresh = await first();
    for (const cards of [later, fresh]) {
      expect(cards.length).toBeGreaterThan(AUTHORS);
      const accounts = cards.map(({ author }) => author.id);
      expect(accounts).not.toContain(blocked.author.id);
      expect(accounts).not.toContain(muted.author.id);
      expect(idsOf(cards)).not.toContain(hidden.id);
      expect(idsOf(cards)).not.toContain(filtered.id);
    }
  });

  it('omits posts that became private or were deleted after the first page', async () => {
    const [by] = await world.people(1);
    const [gone, hidden] = [await world.post({ by }), await world.post({ by })];
    await ok(reader, 'PUT', `users/${by.username}/follow`);
    const feed = await ok(reader, 'GET', `${PATH}?limit=100`);
    expect(idsOf(feed.data)).toEqual(expect.arrayContaining([gone.id, hidden.id]));
    const { page } = await ok(reader, 'GET', `${PATH}?limit=1`);

    await world.deletePost(gone.id, { by });
    await world.editPost(hidden.id, { by, isPublic: false });
    const later = idsOf((await ok(reader, 'GET', `${PATH}?limit=100&cursor=${page.nextCursor}`)).data);
    expect(later).not.toContain(gone.id);
    expect(later).not.toContain(hidden.id);
  });

  it('keeps three feeds of an account, and refuses cursors of earlier ones and of other accounts', async () => {
    const cursors: string[] = [];
    for (let count = 0; count <= MAX_SNAPSHOTS; count++)
      cursors.push((await ok(reader, 'GET', `${PATH}?limit=1`)).page.nextCursor);
    const statuses = await Promise.all(
      cursors.map(async (cursor) => (await send(reader, 'GET', `${PATH}?cursor=${cursor}`)).status),
    );
    expect(statuses).toEqual([400, 200, 200, 200]);
    expectProblem(await send(reader, 'GET', `${PATH}?cursor=${cursors[0]}`), 400, 'cursor_expired');
    expectProblem(await send(authors[0], 'GET', `${PATH}?cursor=${cursors[3]}`), 400, 'invalid_cursor');
    expect(await rowsOf(reader)).toEqual([1, MAX_SNAPSHOTS]);
  });

  it('is the hot feed, and stores nothing, for a reader who switches it off', async () => {
    await ok(reader, 'GET', `${PATH}?limit=1`);
    expect(await rowsOf(reader)).toEqual([1, 1]);
    const { settings } = await ok(reader, 'PATCH', 'users/me', { settings: { personalised: false } });
    expect(settings).toEqual({ language: 'en', personalised: false });
    expect(await rowsOf(reader)).toEqual([0, 0]);

    const cards = await walk(PATH, 40, reader);
    expect(idsOf(cards)).toEqual(idsOf(await walk('feed', 40, reader)));
    expect(new Set(cards.map(({ reason }) => reason))).toEqual(new Set(['popular']));
    expectProblem(
      await send(reader, 'PUT', `${PATH}/feedback`, { postId: posts[0], kind: 'less' }),
      409,
      'not_personalised',
    );
    expect(await rowsOf(reader)).toEqual([0, 0]);
    await ok(reader, 'PATCH', 'users/me', { settings: { personalised: true } });
    await feedback(posts[0]!, 'less');
  });

  it('deletes what it stores with the account', async () => {
    await ok(reader, 'GET', `${PATH}?limit=1`);
    expect((await send(reader, 'DELETE', 'users/me', { password: TEST_PASSWORD })).status).toBe(204);
    await drainTasks(app);
    expect(await rowsOf(reader)).toEqual([0, 0]);
  });

  it('reads index ranges of at most 300 posts for a first page, and only its posts for the next ones', async () => {
    const [busy] = await world.people(1);
    for (const author of authors) await ok(busy, 'PUT', `users/${author.username}/follow`);
    for (let at = 0; at < 20; at++) await ok(busy, 'PUT', `tags/topic-${at}/follow`);
    for (const id of posts.slice(0, 6)) await ok(busy, 'PUT', `posts/${id}/vote`, { value: 'like' });
    for (const id of posts.slice(20, 40)) await ok(authors[3], 'PUT', `posts/${id}/vote`, { value: 'like' });
    let cursor = '';
    const readFirst = async () => {
      cursor = (await ok(busy, 'GET', `${PATH}?limit=20`)).page.nextCursor;
    };
    const withAffinities = await plansOf(app, readFirst);
    const plans = await plansOf(app, readFirst);
    const ofNext = await plansOf(app, () => ok(busy, 'GET', `${PATH}?limit=20&cursor=${cursor}`));

    for (const { plan, docsExamined, nReturned } of [...withAffinities, ...plans, ...ofNext]) {
      expect(plan).not.toMatch(/COLLSCAN|\bSORT\b/);
      expect(docsExamined).toBeLessThanOrEqual(nReturned + 1);
    }
    // Seven commands, the first with five lookups; sometimes the epoch and the hot posts, which requests share.
    expect(plans.length).toBeLessThanOrEqual(14);
    expect(plans.reduce((sum, { docsExamined }) => sum + docsExamined, 0)).toBeLessThan(800);
    expect(ofNext.map(({ nReturned }) => nReturned).sort()).toEqual([1, 21]);
  });
});
