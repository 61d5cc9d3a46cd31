import { ObjectId } from 'mongodb';
import { BATCHABLE_COMMENTS } from '../../src/comments/first-comments-loader.js';
import { CommentsService } from '../../src/comments/comments.service.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';

type Page = { data: { id: string; postId: string }[]; page: { nextCursor: string | null } };

describe('concurrent first comment pages of posts with few comments', () => {
  const app = useApp();
  const { world } = app;
  /** Expected page of each post, newest first. */
  const expected = new Map<string, string[]>();

  beforeAll(async () => {
    const people = await world.people(2);
    for (const count of [3, 0, 1, 4, 2, 5]) {
      const { id } = await world.post({ by: people[0] });
      const ids: string[] = [];
      for (let at = 0; at < count; at++) ids.unshift((await world.comment({ by: people[1], on: id })).id);
      if (count > 0) await world.comment({ by: people[0], on: id, parentId: ids[0] });
      expected.set(id, ids);
    }
  });

  const list = async (postId: string, limit = 20): Promise<Page> => {
    const query = { sort: 'newest', limit } as const;
    const { json } = await app.app.get(CommentsService).list(ObjectId.createFromHexString(postId), null, query);
    return JSON.parse(json.toString()) as Page;
  };
  const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

  it('share one query of one index range each, and get only the comments of their own post', async () => {
    const posts = [...expected.keys()];
    let pages: Page[] = [];
    const plans = await plansOf(app, async () => (pages = await Promise.all(posts.map((post) => list(post)))));
    expect(pages.map(idsOf)).toEqual([...expected.values()]);
    expect(pages.every(({ page }) => page.nextCursor === null)).toBe(true);
    const reads = plans.filter(({ plan }) => plan.includes('"parentId"'));
    expect(reads.length).toBeLessThan(posts.length);
    for (const { plan, docsExamined, nReturned } of reads) {
      expect(plan).toMatch(/^IXSCAN \{"postId":1,"parentId":1,"_id":-1\}$/);
      expect(docsExamined).toBe(nReturned);
    }
  });

  it('end at the limit, with a cursor that continues', async () => {
    const [post, ids] = [...expected].find(([, { length }]) => length === 5)!;
    const first = await list(post, 2);
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    const { body } = await app.client.get(`/v1/posts/${post}/comments?limit=3&cursor=${first.page.nextCursor}`);
    expect(idsOf(body as Page)).toEqual(ids.slice(2));
  });

  it('are complete when there are more comments than the counters say', async () => {
    const posts = [...expected.keys()];
    const ids = expected.get(posts[0]!)!;
    const comments = app.db.collection('comments');
    const row = await comments.findOne({ _id: ObjectId.createFromHexString(ids[0]!) });
    // More comments than fit into one reply, while the counter is three.
    const added = Array.from({ length: 30 * BATCHABLE_COMMENTS }, () => ({ ...row, _id: new ObjectId() }));
    await comments.insertMany(added);
    const newest = added.map(({ _id }) => _id.toHexString()).reverse();
    const pages = await Promise.all(posts.map((each) => list(each)));
    expect(idsOf(pages[0]!)).toEqual(newest.slice(0, 20));
    expect(pages[0]!.page.nextCursor).not.toBeNull();
    expect(pages.slice(1).map(idsOf)).toEqual([...expected.values()].slice(1));
    await comments.deleteMany({ _id: { $in: added.map(({ _id }) => _id) } });
  });

  it('are complete when every comment has the longest text', async () => {
    const by = await world.person();
    const row = await app.db.collection('comments').findOne({ parentId: null });
    const posts: string[] = [];
    while (posts.length < 26) posts.push((await world.post({ by })).id);
    const content = '\u{1f600}'.repeat(10_000);
    const rows = posts.flatMap((post) =>
      Array.from({ length: BATCHABLE_COMMENTS }, () => ({
        ...row,
        _id: new ObjectId(),
        postId: ObjectId.createFromHexString(post),
        content,
      })),
    );
    await app.db.collection('comments').insertMany(rows);

    const pages = await Promise.all(posts.map((post) => list(post)));

    expect(pages.map(({ data }) => data.length)).toEqual(posts.map(() => BATCHABLE_COMMENTS));
  });
});
