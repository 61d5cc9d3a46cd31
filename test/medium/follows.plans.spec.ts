import { FollowsService } from '../../src/follows/follows.service.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let people: Person[];

beforeAll(async () => {
  people = await world.people(20);
  const pairs = people.flatMap((a) => people.filter((b) => b !== a).map((b) => [a, b] as const));
  const follows = pairs.map(([a, b]) => app.patient.put(`/v1/users/${b.username}/follow`, { token: a.token }));
  const refused = (await Promise.all(follows)).filter(({ status }) => status !== 200);
  expect(refused.map(({ body }) => body)).toEqual([]);
});

describe('the queries of follows', () => {
  it('reads a page of either list as one index range and the users by primary key', async () => {
    const { username } = people[2]!;
    for (const [list, key] of [
      ['followers', '"followingId":1,"seq":-1'],
      ['following', '"followerId":1,"seq":-1'],
    ]) {
      const first = await app.client.get(`/v1/users/${username}/${list}?limit=5`);
      for (const cursor of ['', `&cursor=${first.body.page.nextCursor}`]) {
        const plans = await plansOf(app, () => app.client.get(`/v1/users/${username}/${list}?limit=5${cursor}`));
        expect(plans).toHaveLength(3);
        for (const { plan, docsExamined, nReturned } of plans) {
          expect(plan).toMatch(/^(IXSCAN|IDHACK)/);
          expect(docsExamined).toBe(nReturned);
        }
        expect(plans[1]!.plan).toContain(key);
        expect(plans[1]!.nReturned).toBe(6);
      }
    }
  });

  it('looks up known followers by key', async () => {
    const [reader, { username }] = people as [Person, Person];
    const path = `/v1/users/${username}/followers?known=true&limit=5`;
    const plans = await plansOf(app, async () => {
      expect((await app.client.get(path, { token: reader.token })).body.data).toHaveLength(5);
    });
    const rows = plans.find(({ plan }) => plan.includes('SORT'))!;
    expect(rows.plan).toContain('IXSCAN {"_id":1}');
    expect(rows.docsExamined).toBeLessThanOrEqual(18);
    expect(plans.filter(({ plan }) => plan.includes('COLLSCAN'))).toEqual([]);
  });

  it('reads the rows of suggestions as index ranges', async () => {
    const plans = await plansOf(app, () => app.client.get('/v1/users/suggested', { token: people[0]!.token }));
    expect(plans.map(({ plan }) => plan).filter((plan) => plan.includes('COLLSCAN'))).toEqual([]);
    const lookup = plans.find(({ plan }) => plan.includes('"followerId":1,"seq":-1'))!;
    // 19 follows, and the 19 of each of them
    expect(lookup.docsExamined).toBeLessThanOrEqual(19 + 19 * 19);
  });

  it('walks over the rows before a page of the compatible API in the index', async () => {
    const { _id } = people[2]!;
    for (const [side, key] of [
      ['followers', '"followingId":1,"seq":-1'],
      ['following', '"followerId":1,"seq":-1'],
    ] as const) {
      const follows = app.app.get(FollowsService);
      const plans = await plansOf(app, () => follows.listFrom(side, _id, { page: 3, limit: 5 }));
      expect(plans).toMatchObject([{ keysExamined: 15, docsExamined: 5, nReturned: 5 }, { nReturned: 5 }]);
      expect(plans[0]!.plan).toContain(key);
    }
  });

  it('returns all follows of a reader to the feed without reading a document', async () => {
    const reader = people[7]!;
    const plans = await plansOf(app, async () => {
      const ids = await app.app.get(FollowsService).followingIds(reader._id);
      const others = people.filter((person) => person !== reader).map(({ id }) => id);
      expect(ids.map((id) => id.toHexString()).sort()).toEqual(others.sort());
    });
    expect(plans).toMatchObject([{ plan: 'IXSCAN {"_id":1}', keysExamined: 19, docsExamined: 0, nReturned: 19 }]);
  });

  it('reads relationships to many accounts from keys alone', async () => {
    const ids = people.slice(1).map(({ id }) => id);
    const path = `/v1/users/me/relationships?ids=${ids.join(',')}`;
    const plans = await plansOf(app, () => app.client.get(path, { token: people[0]!.token }));
    const ofFollows = plans.filter(({ nReturned }) => nReturned > 0);
    expect(ofFollows).toMatchObject([{ plan: 'IXSCAN {"_id":1}', docsExamined: 0, nReturned: 38 }]);
    for (const { plan, docsExamined } of plans) expect([plan, docsExamined]).toEqual(['IXSCAN {"_id":1}', 0]);
    // follows, blocks, mutes and bells
    expect(plans).toHaveLength(4);
  });

  it('finds the accounts and the row of a follow by key', async () => {
    const [ann, ben] = people as [Person, Person];
    const plans = await plansOf(app, () => app.client.put(`/v1/users/${ben.username}/follow`, { token: ann.token }));
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toMatch(/^(IXSCAN|IDHACK)/);
      expect(docsExamined).toBeLessThanOrEqual(nReturned);
    }
  });
});
