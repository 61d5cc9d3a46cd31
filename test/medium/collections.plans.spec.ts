import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let owner: Person;
let posts: string[];
let list: { id: string };
let series: { id: string };

beforeAll(async () => {
  const [first, ...others] = await world.people(6);
  owner = first;
  posts = [];
  while (posts.length < 60) posts.push((await world.post({ by: owner })).id);
  list = await world.collection({ by: owner, posts });
  series = await world.collection({ by: owner, kind: 'series', posts });
  for (const person of [owner, ...others])
    for (let index = 0; index < 20; index++) {
      const isPublic = index % 3 !== 0;
      const { id } = await world.collection({
        by: person,
        isPublic,
        tags: [index % 2 ? 'odd' : 'even'],
        posts: [posts[0]!],
      });
      if (isPublic && index % 5 === 0) await app.client.put(`/v1/collections/${id}/follow`, { token: others[0].token });
    }
  // Reads the list filter of the owner, which the process keeps.
  await app.client.get('/v1/collections?limit=1', { token: owner.token });
});

/** Requires that every read uses an index, sorts nothing in memory and reads only results; costs as [keys, documents, returned]. */
async function leanReads(path: string, token?: string) {
  const plans = await plansOf(app, async () => expect((await app.client.get(path, { token })).status).toBe(200));
  expect(plans.length).toBeGreaterThan(0);
  for (const { plan, docsExamined, nReturned } of plans) {
    expect([path, plan]).toEqual([path, expect.stringMatching(/IXSCAN|IDHACK|EOF/)]);
    expect([path, plan]).not.toEqual([path, expect.stringMatching(/COLLSCAN|\bSORT\b/)]);
    expect([path, docsExamined]).toEqual([path, Math.min(docsExamined, nReturned)]);
  }
  return plans;
}

async function nthPage(path: string, page: number, token?: string): Promise<string> {
  let cursor = '';
  for (let at = 1; at < page; at++) {
    const { body } = await app.client.get(path + cursor, { token });
    cursor = `&cursor=${body.page.nextCursor}`;
  }
  return path + cursor;
}

describe('the queries of collections', () => {
  it.each([
    ['the latest', () => '/v1/collections?limit=3'],
    ['the top', () => '/v1/collections?sort=top&limit=3'],
    ['the latest with a tag', () => '/v1/collections?tag=odd&limit=2'],
    ['the top with a tag', () => '/v1/collections?tag=odd&sort=top&limit=2'],
    ['a user’s', () => `/v1/users/${owner.username}/collections?limit=2`],
    ['mine', () => '/v1/users/me/collections?limit=2'],
    ['mine that hold a post', () => `/v1/users/me/collections?contains=${posts[0]}&limit=2`],
    ['the posts of one', () => `/v1/collections/${list.id}/posts?limit=3`],
  ])('reads %s as index ranges, and its later pages at the price of the first', async (_, pathOf) => {
    const path = pathOf();
    const first = await leanReads(path, owner.token);
    const later = await leanReads(await nthPage(path, 6, owner.token), owner.token);
    const costs = (plans: typeof first) => plans.map(({ docsExamined }) => docsExamined);
    expect(costs(later)).toEqual(costs(first));
    const keys = (plans: typeof first) => plans.reduce((sum, { keysExamined }) => sum + keysExamined, 0);
    expect(keys(later)).toBeLessThanOrEqual(keys(first) + 3);
  });

  it('reads the order of a series without its documents', async () => {
    const plans = await leanReads(`/v1/posts/${posts[30]}/series`);
    const order = plans.find(({ plan }) => plan.includes('"collectionId":1,"position":1'))!;
    expect([order.docsExamined, order.nReturned]).toEqual([0, 60]);
  });

  it('finds the collection of an item by key, and its order without its documents', async () => {
    const plans = await plansOf(app, () =>
      app.client.put(`/v1/collections/${series.id}/posts/${posts[3]}`, {
        token: owner.token,
        body: { after: posts[9] },
      }),
    );
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toMatch(/IXSCAN|IDHACK/);
      expect(docsExamined).toBeLessThanOrEqual(nReturned);
    }
    expect(plans.some(({ plan, docsExamined }) => plan.includes('"position":1') && docsExamined === 0)).toBe(true);
  });

  it('finds a collection that is voted on or followed by key', async () => {
    for (const what of ['vote', 'follow']) {
      const body = what === 'vote' ? { value: 'like' } : undefined;
      const plans = await plansOf(app, () =>
        app.client.put(`/v1/collections/${list.id}/${what}`, { token: owner.token, body }),
      );
      for (const { plan } of plans) expect(plan).toMatch(/IXSCAN|IDHACK|EOF/);
    }
  });
});
