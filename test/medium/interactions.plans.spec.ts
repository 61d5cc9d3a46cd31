import { ObjectId } from 'mongodb';
import { type TestApp, useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let people: Person[];
let posts: { id: string }[];
let comments: { id: string }[];

/** Requires that every read uses an index, sorts nothing in memory and reads only results. */
async function expectLeanReads(from: TestApp, work: () => Promise<{ status: number }>): Promise<string[]> {
  const plans = await plansOf(from, async () => expect((await work()).status).toBeLessThan(300));
  expect(plans.length).toBeGreaterThan(0);
  for (const { plan, docsExamined, nReturned } of plans) {
    expect(plan).toMatch(/^(IXSCAN|IDHACK|EOF)/);
    expect(plan).not.toContain('SORT');
    expect(docsExamined).toBeLessThanOrEqual(nReturned);
  }
  return plans.map(({ plan }) => plan);
}

beforeAll(async () => {
  people = await world.people(30);
  posts = [];
  // The posts are created one after the other, because each changes the counter of one account.
  while (posts.length < 30) posts.push(await world.post({ by: people[0]! }));
  comments = await Promise.all(posts.slice(0, 5).map(({ id }) => world.comment({ by: people[1]!, on: id })));
  for (const [index, { token }] of people.entries()) {
    const answers = await Promise.all(
      posts.flatMap(({ id }, at) => [
        app.patient.put(`/v1/posts/${id}/vote`, { token, body: { value: (index + at) % 2 ? 'like' : 'dislike' } }),
        app.patient.put(`/v1/posts/${id}/save`, { token }),
        app.patient.put(`/v1/posts/${id}/hide`, { token }),
      ]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
});

describe('the queries of interactions', () => {
  it('finds the rows and targets of a vote, a save or a hidden post by primary key', async () => {
    const { token } = people[3]!;
    const body = { value: 'like' };
    await expectLeanReads(app, () => app.client.put(`/v1/posts/${posts[2]!.id}/vote`, { token, body }));
    await expectLeanReads(app, () => app.client.delete(`/v1/posts/${posts[2]!.id}/save`, { token }));
    await expectLeanReads(app, () => app.client.put(`/v1/posts/${posts[2]!.id}/hide`, { token }));
    await expectLeanReads(app, () => app.client.put(`/v1/comments/${comments[2]!.id}/vote`, { token, body }));
  });

  it('reads only the rows there are for my state towards many targets', async () => {
    const targets = [...posts.map(({ id }) => id), new ObjectId().toHexString()].join(',');
    const { token } = people[4]!;
    await expectLeanReads(app, () => app.client.get(`/v1/viewer?posts=${targets}`, { token }));
  });

  it.each(['saved', 'hidden'])('reads a page of %s posts as one index range, wherever it lies', async (list) => {
    const { token } = people[5]!;
    const path = `/v1/users/me/${list}?limit=10`;
    const first = await app.client.get(path, { token });
    for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
      const plans = await expectLeanReads(app, () => app.client.get(path + cursor, { token }));
      expect(plans[0]).toContain('"userId":1,"seq":-1');
    }
  });

  it('reads a page of liked posts as one index range of likes of posts, wherever it lies', async () => {
    const { token } = people[5]!;
    await app.client.put(`/v1/comments/${comments[1]!.id}/vote`, { token, body: { value: 'like' } });
    const first = await app.client.get('/v1/users/me/liked?limit=5', { token });
    expect(first.body.data).toHaveLength(5);
    for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
      const plans = await expectLeanReads(app, () => app.client.get(`/v1/users/me/liked?limit=5${cursor}`, { token }));
      expect(plans[0]).toContain('"userId":1,"seq":-1');
    }
  });

  it('reads a page of followed collections as one index range, and the collections by key', async () => {
    const [owner, reader] = people as [Person, Person];
    for (let count = 0; count < 6; count++) {
      const { id } = await world.collection({ by: owner });
      await app.patient.put(`/v1/collections/${id}/follow`, { token: reader.token });
    }
    const path = '/v1/users/me/followed-collections?limit=3';
    const first = await app.client.get(path, { token: reader.token });
    expect(first.body.data).toHaveLength(3);
    for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
      const plans = await expectLeanReads(app, () => app.client.get(`${path}${cursor}`, { token: reader.token }));
      expect(plans[0]).toContain('"userId":1,"seq":-1');
    }
  });

  it('looks up the votes of followed accounts by key, and sorts only those it finds', async () => {
    const [, reader, ...followed] = people as [Person, Person, ...Person[]];
    for (const { username } of followed.slice(0, 8))
      await app.client.put(`/v1/users/${username}/follow`, { token: reader.token });
    const path = `/v1/posts/${posts[4]!.id}/votes/followed?limit=2`;
    const plans = await plansOf(app, async () => {
      expect((await app.client.get(path, { token: reader.token })).body.data).toHaveLength(2);
    });
    const votes = plans.find(({ plan }) => plan.includes('SORT'))!;
    expect(votes.plan).toContain('IXSCAN {"_id":1}');
    // Eight votes, of which four are likes.
    expect(votes.docsExamined).toBeLessThanOrEqual(8);
    expect(plans.filter(({ plan }) => plan.includes('COLLSCAN'))).toEqual([]);
  });

  it('reads a page of the likes of a post or comment as one index range, and the names by key', async () => {
    for (const { token } of people.slice(10, 20)) {
      await app.client.put(`/v1/comments/${comments[0]!.id}/vote`, { token, body: { value: 'like' } });
    }
    for (const path of [`/v1/posts/${posts[4]!.id}/votes`, `/v1/comments/${comments[0]!.id}/votes`]) {
      const first = await app.client.get(`${path}?limit=5`);
      expect(first.body.data).toHaveLength(5);
      for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
        const plans = await expectLeanReads(app, () => app.client.get(`${path}?limit=5${cursor}`));
        expect(plans.some((plan) => plan.includes('"targetId":1,"kind":1,"value":1,"seq":-1'))).toBe(true);
      }
    }
  });
});
