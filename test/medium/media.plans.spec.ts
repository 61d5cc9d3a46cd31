import { ObjectId } from 'mongodb';
import { MediaRefsService } from '../../src/media/media-refs.service.js';
import { UnusedMediaJob } from '../../src/media/unused-media.job.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

describe('the queries of images', () => {
  const app = useApp();
  const { world } = app;
  let owner: Person;
  let keys: string[] = [];
  let mediaIds: string[] = [];

  beforeAll(async () => {
    const people = await world.people(3);
    for (const person of people) {
      const made = [];
      for (let at = 0; at < 20; at++) made.push(await app.world.picture(person, at < 5 ? { state: 'pending' } : {}));
      owner = person;
      keys = made.map(({ mediaKey }) => mediaKey);
      mediaIds = made.map(({ mediaId }) => mediaId);
    }
  });

  const hold = (holderId: ObjectId, ids: string[]) =>
    app.app
      .get(MongoService)
      .transaction((tx) =>
        app.app.get(MediaRefsService).attachAll([{ holderId, ownerId: owner._id, mediaIds: ids }], tx),
      );

  it.each<[string, () => Promise<unknown>, number]>([
    ['my pictures', () => app.client.get('/v1/media/mine?limit=5', { token: owner.token }), 6],
    ['a file', () => app.client.get(`/v1/media/files/${keys.at(-1)}`), 1],
    ['what a text names', () => hold(new ObjectId(), mediaIds.slice(-3)), 3],
    ['what a holder has named', () => app.app.get(MediaRefsService).detach(new ObjectId()), 0],
  ])('reads %s as one range of an index', async (_, work, most) => {
    const plans = (await plansOf(app, work)).filter(({ plan }) => !/EOF/.test(plan));
    expect(plans.length).toBeGreaterThan(0);
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toMatch(/IXSCAN|IDHACK/);
      expect(plan).not.toMatch(/COLLSCAN|\bSORT\b/);
      expect(docsExamined).toBe(nReturned);
      expect(nReturned).toBeLessThanOrEqual(most);
    }
  });

  it('reads the second page at the price of the first', async () => {
    const { body } = await app.client.get('/v1/media/mine?limit=5', { token: owner.token });
    const path = `/v1/media/mine?limit=5&cursor=${body.page.nextCursor}`;
    const [plan] = await plansOf(app, () => app.client.get(path, { token: owner.token }));
    expect([plan!.docsExamined, plan!.nReturned]).toEqual([6, 6]);
  });

  it('finds due images by an index, and reads nothing else', async () => {
    const [due] = await plansOf(app, () => app.app.get(UnusedMediaJob).run(new AbortController().signal));
    expect([due!.plan, due!.docsExamined]).toEqual([expect.stringContaining('sweepAt'), 0]);
  });
});
