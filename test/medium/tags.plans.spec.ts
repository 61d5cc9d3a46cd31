import { TagCountsJob } from '../../src/tags/tag-counts.job.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let reader: Person;

beforeAll(async () => {
  reader = await world.person();
  for (let at = 0; at < 20; at++) {
    await world.post({ by: reader, tags: ['all', `even-${at - (at % 2)}`, `one-${at}`] });
    await app.client.put(`/v1/tags/one-${at}/follow`, { token: reader.token });
  }
  await app.app.get(TagCountsJob).run(new AbortController().signal);
  // The trends of the job need many authors.
  await app.db.collection('tags').updateMany({}, [{ $set: { trend: { $add: [1, { $rand: {} }] } } }]);
});

async function nthPage(path: string, page: number): Promise<string> {
  let cursor = '';
  for (let at = 1; at < page; at++)
    cursor = `&cursor=${(await app.client.get(path + cursor)).body.page.nextCursor as string}`;
  return path + cursor;
}

describe('the queries of tags', () => {
  it.each([
    ['popular', '/v1/tags?limit=3'],
    ['by name', '/v1/tags?sort=name&limit=3'],
    ['popular, with a prefix', '/v1/tags?prefix=one&limit=3'],
    ['rising', '/v1/tags?sort=trending&limit=3'],
    ['rising, with a prefix', '/v1/tags?sort=trending&prefix=one&limit=3'],
    ['by name, with a prefix', '/v1/tags?sort=name&prefix=one&limit=3'],
  ])('%s read only the rows of their page', async (_, path) => {
    for (const page of [1, 3]) await leanReads(await nthPage(path, page));
  });

  it('of an account read only the tags that it follows', async () => {
    await leanReads('/v1/users/me/tags', reader.token);
  });

  it('of the following feed merge the ranges of 30 tags without a sort', async () => {
    const [fan] = await world.people(1);
    for (let at = 0; at < 20; at++) await app.client.put(`/v1/tags/one-${at}/follow`, { token: fan.token });
    for (let at = 0; at < 10; at++) await app.client.put(`/v1/tags/no-${at}/follow`, { token: fan.token });

    const plans = await plansOf(
      app,
      async () => {
        const { body } = await app.client.get('/v1/feed/following?include=tags&limit=5', { token: fan.token });
        expect(body.data).toHaveLength(5);
      },
      'posts',
    );

    expect(plans).toHaveLength(1);
    expect(plans[0]).toMatchObject({ docsExamined: 6, nReturned: 6 });
    expect(plans[0]!.plan.match(/IXSCAN/g)).toHaveLength(180);
    expect(plans[0]!.plan).not.toMatch(/\bSORT\b/);
  });
});

async function leanReads(path: string, token?: string): Promise<void> {
  const plans = await plansOf(app, async () => expect((await app.client.get(path, { token })).status).toBe(200));
  expect(plans.length).toBeGreaterThan(0);
  for (const { plan, docsExamined, nReturned } of plans) {
    expect([path, plan]).not.toEqual([path, expect.stringMatching(/COLLSCAN|\bSORT\b/)]);
    // A page after a position merges two ranges, of which each has a next row.
    expect(docsExamined).toBeLessThanOrEqual(nReturned + 1);
  }
}
