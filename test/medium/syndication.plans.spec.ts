import { ListedCollectionsService } from '../../src/collections/listed-collections.service.js';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { PublicPostsByMonthService } from '../../src/posts/public-posts-by-month.service.js';
import { AuthorsByMonthService } from '../../src/users/authors-by-month.service.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const MONTH = new Date().toISOString().slice(0, 7);

describe('the queries of feeds and the sitemap', () => {
  const app = useApp();
  const { world } = app;
  let writer: Person;
  let collectionId: string;

  beforeAll(async () => {
    const people = await world.people(30);
    writer = people[0];
    const ids: string[] = [];
    for (let at = 0; at < 60; at++) ids.push((await world.post({ by: people[at % 6]!, isPublic: at % 3 !== 0 })).id);
    collectionId = (await world.collection({ by: writer, posts: ids.slice(1, 3) })).id;
    for (let at = 0; at < 5; at++) await world.collection({ by: writer, isPublic: at % 2 === 0 });
    // Renders the texts first, so that the feeds only read them.
    for (const id of ids) await app.client.get(`/v1/posts/${id}/html`);
  });

  it('is a range of an index for each feed, and its texts by their ids', async () => {
    for (const path of [
      '/v1/feeds/latest.atom',
      '/v1/feeds/hot.atom',
      '/v1/feeds/top.atom',
      `/v1/users/${writer.username}/feed.atom`,
      '/v1/tags/engines/feed.atom',
      `/v1/collections/${collectionId}/feed.atom`,
    ]) {
      app.app.get(ResponseCache).store.clear();
      const plans = await plansOf(app, async () => expect((await app.client.get(path)).status).toBe(200));
      expect(plans.length).toBeGreaterThan(0);
      for (const { plan, docsExamined, nReturned } of plans) {
        expect([path, plan]).toEqual([path, expect.stringMatching(/IXSCAN|IDHACK|EOF/)]);
        expect([path, plan]).not.toEqual([path, expect.stringMatching(/COLLSCAN|\bSORT\b/)]);
        expect([path, docsExamined]).toEqual([path, Math.min(docsExamined, nReturned)]);
      }
    }
  });

  it('is a range of an index for each file of the sitemap, without hidden posts', async () => {
    const files = [PublicPostsByMonthService, AuthorsByMonthService, ListedCollectionsService] as const;
    for (const service of files) {
      const { name } = service;
      const found: unknown[] = [];
      const [plan] = await plansOf(app, async () => {
        for await (const rows of app.app.get<PublicPostsByMonthService>(service).inMonth(MONTH, 0, 25_000))
          found.push(...rows);
      });
      expect([name, plan!.plan]).toEqual([name, expect.stringMatching(/IXSCAN/)]);
      expect([name, found.length, plan!.docsExamined]).toEqual([name, plan!.nReturned, found.length]);
    }
  });
});
