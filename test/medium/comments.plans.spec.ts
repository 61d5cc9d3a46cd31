import { ObjectId } from 'mongodb';
import { CommentsService } from '../../src/comments/comments.service.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
const { world } = app;
let people: Person[];
let postId: string;
let rootId: string;

beforeAll(async () => {
  people = await world.people(3);
  const posts = await Promise.all([1, 2, 3].map(() => world.post({ by: people[0]! })));
  postId = posts[1]!.id;
  for (const { id } of posts) {
    const roots = await Promise.all(Array.from({ length: 30 }, () => world.comment({ by: people[1]!, on: id })));
    const replies = roots.slice(0, 4).flatMap((root) => Array<string>(8).fill(root.id));
    await Promise.all(replies.map((parentId) => world.comment({ by: people[2]!, on: id, parentId })));
    if (id === postId) rootId = roots[2]!.id;
    await app.client.delete(`/v1/comments/${roots[9]!.id}`, { token: people[1]!.token });
  }
});

const KEY = '"postId":1,"parentId":1,"_id":-1';

describe('the queries of comments', () => {
  it('reads a page as one index range in both directions, first or later, top level or replies', async () => {
    const { token } = people[2]!;
    for (const path of [`/v1/posts/${postId}/comments`, `/v1/comments/${rootId}/replies`]) {
      for (const sort of ['newest', 'oldest']) {
        const first = await app.client.get(`${path}?sort=${sort}&limit=5`, { token });
        for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
          const plans = await plansOf(app, () => app.client.get(`${path}?sort=${sort}&limit=5${cursor}`, { token }));
          for (const { plan, docsExamined, nReturned } of plans) {
            expect(plan).toMatch(/^(IXSCAN|IDHACK)/);
            expect(docsExamined).toBe(nReturned);
          }
          const page = plans[plans.length - 1]!;
          expect(page.plan).toContain(KEY);
          expect(page.keysExamined).toBe(page.nReturned);
        }
      }
    }
  });

  it('reads a page by likes as ordered index ranges, among comments of one number of likes, too', async () => {
    const { body } = await app.client.get(`/v1/posts/${postId}/comments?limit=10`);
    for (const { id } of body.data.slice(0, 3) as { id: string }[])
      await app.client.put(`/v1/comments/${id}/vote`, { token: people[0]!.token, body: { value: 'like' } });
    for (const path of [`/v1/posts/${postId}/comments`, `/v1/comments/${rootId}/replies`]) {
      const url = `${path}?sort=top&limit=5`;
      const first = await app.client.get(url);
      for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
        const plans = await plansOf(app, () => app.client.get(`${url}${cursor}`));
        const page = plans[plans.length - 1]!;
        expect(page.plan).toContain('"stats.likesCount":-1,"_id":-1');
        expect(page.plan.replaceAll('SORT_MERGE', '')).not.toContain('SORT');
        // A merge of two ranges may read one comment ahead.
        expect(page.docsExamined - page.nReturned).toBeLessThanOrEqual(1);
      }
    }
  });

  it('reads the lists of many posts as one index range, and posts and ancestors by primary key', async () => {
    const moderator = await world.person({ role: 'moderator' });
    const { username, token, id } = people[2]!;
    const byAuthor = '"authorId":1,"_id":-1';
    for (const [path, index, by] of [
      [`users/${username}/comments`, byAuthor, undefined],
      ['users/me/comments', byAuthor, token],
      [`moderation/comments?authorId=${id}&state=visible`, byAuthor, moderator.token],
      ['moderation/comments?state=removed', '"_id":1', moderator.token],
      ['comments/latest', '"_id":1', undefined],
    ] as const) {
      const url = `/v1/${path}${path.includes('?') ? '&' : '?'}limit=5`;
      const { nextCursor } = (await app.client.get(url, { token: by })).body.page;
      for (const cursor of ['', ...(nextCursor === null ? [] : [`&cursor=${nextCursor}`])]) {
        const plans = await plansOf(app, () => app.client.get(url + cursor, { token: by }));
        for (const { plan, docsExamined, nReturned } of plans) {
          expect(plan).toMatch(/^(IXSCAN|IDHACK)/);
          // One row more than the page; the read of hidden ancestors returns none.
          expect(docsExamined).toBeLessThanOrEqual(Math.max(nReturned, 6));
        }
        expect(plans.filter(({ plan }) => plan.includes(index)).length).toBeGreaterThan(0);
        expect(plans.map(({ plan }) => plan).join()).not.toContain('SORT');
      }
    }
  });

  it('reads comments by id by primary key', async () => {
    const { body } = await app.client.get(`/v1/comments/${rootId}/replies`);
    const ids = body.data.map(({ id }: { id: string }) => id).join(',');
    const plans = await plansOf(app, () => app.client.get(`/v1/comments?ids=${ids}`));
    expect(plans).toHaveLength(3);
    for (const { plan } of plans) expect(plan).toMatch(/^(IXSCAN \{"_id":1\}|IDHACK)/);
  });

  it('reads everything for writing or deleting a reply by primary key', async () => {
    let replyId = '';
    const created = await plansOf(app, async () => {
      replyId = (await world.comment({ by: people[2]!, on: postId, parentId: rootId })).id;
    });
    const { token } = people[2]!;
    const deleted = await plansOf(app, () => app.client.delete(`/v1/comments/${replyId}`, { token }));
    for (const { plan } of [...created, ...deleted]) expect(plan).toMatch(/^(IXSCAN \{"_id":1\}|IDHACK)/);
  });

  it('streams the rows of the cleanup by index', async () => {
    const service = app.app.get(CommentsService);
    const drain = async (ids: AsyncIterable<ObjectId>) => {
      let count = 0;
      for await (const id of ids) count += id instanceof ObjectId ? 1 : 0;
      return count;
    };
    const plans = await plansOf(app, async () => {
      expect(await drain(service.streamOfPost(new ObjectId(postId)))).toBeGreaterThan(60);
      expect(await drain(service.streamDeletedTree(new ObjectId(rootId)))).toBeGreaterThan(0);
    });
    expect(plans.map(({ plan }) => plan)).toEqual([
      expect.stringContaining('"postId":1'),
      expect.stringContaining('"ancestors":1'),
    ]);
  });
});
