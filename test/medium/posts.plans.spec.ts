import type { Document } from 'mongodb';
import { ObjectId } from 'mongodb';
import { dayId, daysOf, eventsEndedBy, eventsOf, windowEnd } from '../../src/views/event-keys.js';
import { POST_EVENT_DAYS, POST_EVENTS } from '../../src/views/post-event.schema.js';
import { CARD_PROJECTION } from '../../src/posts/card/post-card.js';
import { LATEST, newerThan, olderThan, OLDEST, positionOf } from '../../src/posts/publication-order.js';
import { BY_TAG, withTags } from '../../src/posts/post-lists.service.js';
import { ownPosts } from '../../src/posts/visibility.js';
import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';

type PlacedPost = Parameters<typeof positionOf>[0];

/** Every read of posts costs only its results: an ordered index range, no extra row, nothing sorted in memory. */
describe('query plans of posts', () => {
  const app = useApp();
  const { world } = app;
  let author: Person;
  let ids: ObjectId[];
  let after: Document;
  let before: Document;

  beforeAll(async () => {
    const [first, other] = await world.people(2);
    author = first;
    const createPost = async (by: Person, isPublic: boolean): Promise<ObjectId> => {
      const body = { title: 'Plans', content: 'Text.', type: 'poem', tags: ['a'], isPublic };
      const { id } = (await app.client.post('/v1/posts', { token: by.token, body })).body;
      await app.client.post(`/v1/posts/${id}/events`, { body: { kind: 'view' } });
      return new ObjectId(id as string);
    };
    ids = [];
    for (let i = 0; i < 20; i++) {
      ids.push(await createPost(author, i % 3 !== 0));
      await createPost(other, true);
    }
    const days = ids.map((postId) => ({
      _id: dayId(postId, '2020-01-01') as never,
      postId,
      day: '2020-01-01',
      views: 1,
    }));
    await app.db.collection(POST_EVENT_DAYS).insertMany(days);
    const row = await app.db.collection('posts').findOne<PlacedPost>({ _id: ids[15] });
    after = olderThan(positionOf(row!));
    before = newerThan(positionOf(row!));
    for (const id of ids.slice(0, 4)) await app.client.delete(`/v1/posts/${id.toHexString()}`, { token: author.token });
  });

  async function explain(
    collection: string,
    filter: Document,
    options: { sort?: Document; limit?: number; hint?: Document } = {},
  ) {
    const command = { find: collection, filter, projection: CARD_PROJECTION, ...options };
    const plan = await app.db.command({ explain: command, verbosity: 'executionStats' });
    const stages: string[] = [];
    const collectStages = (stage: Document | undefined): void => {
      if (stage === undefined) return;
      stages.push(stage.stage as string);
      collectStages(stage.inputStage);
      for (const inner of (stage.inputStages ?? []) as Document[]) collectStages(inner);
    };
    collectStages(plan.queryPlanner.winningPlan.queryPlan ?? plan.queryPlanner.winningPlan);
    const { nReturned, totalDocsExamined, totalKeysExamined } = plan.executionStats;
    return { stages, nReturned, totalDocsExamined, totalKeysExamined };
  }

  const window = () => windowEnd(Date.now(), 24);
  const newest = { sort: LATEST, limit: 6 };
  const cases: [string, () => Promise<Awaited<ReturnType<typeof explain>>>, number][] = [
    ['mine', () => explain('posts', ownPosts(author._id), newest), 6],
    ['mine, next page', () => explain('posts', { ...ownPosts(author._id), ...after }, newest), 6],
    ['mine, oldest first', () => explain('posts', ownPosts(author._id), { sort: OLDEST, limit: 6 }), 6],
    [
      'mine, oldest first, next page',
      () => explain('posts', { ...ownPosts(author._id), ...before }, { sort: OLDEST, limit: 4 }),
      4,
    ],
    ['by author', () => explain('posts', { authorId: author._id, isListed: true }, newest), 6],
    ['by author, next page', () => explain('posts', { authorId: author._id, isListed: true, ...after }, newest), 6],
    ['latest', () => explain('posts', { isListed: true }, newest), 6],
    ['latest of a type', () => explain('posts', { isListed: true, type: 'poem' }, newest), 6],
    ['latest with one of two tags', () => explain('posts', withTags(['a', 'b']), { ...newest, hint: BY_TAG }), 6],
    ['one by id, as it is read together with others', () => explain('posts', { _id: { $in: [ids[9]] } }), 1],
    ['by ids', () => explain('posts', { _id: { $in: ids.slice(5, 10) } }), 5],
    ['events of a post in a window', () => explain(POST_EVENTS, eventsOf({ $eq: ids[7]! }, window())), 1],
    ['events of a range of posts', () => explain(POST_EVENTS, eventsOf({ $gt: ids[7]!, $lte: ids[8]! }, window())), 2],
    ['events to be folded', () => explain(POST_EVENTS, eventsEndedBy(window()), { sort: { _id: 1 }, limit: 5 }), 5],
    ['a day of a post', () => explain(POST_EVENT_DAYS, daysOf({ $eq: ids[7]! })), 1],
  ];

  it.each(cases)('%s', async (name, run, count) => {
    const plan = await run();
    expect(plan.stages).not.toContain('COLLSCAN');
    expect(plan.stages).not.toContain('SORT');
    expect(plan.stages).toContain('IXSCAN');
    expect(plan.nReturned).toBe(count);
    // A next page skips the last post of the previous page.
    expect(plan.totalDocsExamined - count).toBeLessThanOrEqual(name.endsWith('next page') ? 1 : 0);
    expect(plan.totalKeysExamined).toBeLessThanOrEqual(2 * count);
  });

  it('the next copies of an author that are to follow', async () => {
    const stale = { ...ownPosts(author._id), $or: [{ 'authorSnapshot.username': { $ne: 'new_name' } }] };
    const plan = await explain('posts', { ...stale, ...after }, newest);
    expect(plan.stages).not.toContain('SORT');
    expect([plan.nReturned, plan.totalDocsExamined]).toEqual([6, 7]);
  });
});
