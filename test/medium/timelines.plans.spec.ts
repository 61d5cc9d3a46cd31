import { TimelineConfig } from '../../src/feed/timelines/timeline-config.js';
import { Timelines } from '../../src/feed/timelines/timelines.js';
import { FollowsService } from '../../src/follows/follows.service.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';

const AUTHORS = 12;
const FANS = 20;
const never = new AbortController().signal;

describe('the queries of home timelines', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;
  let reader: Person;
  let authors: Person[];
  const page = (limit: number) => app.client.get(`/v1/feed/following?limit=${limit}`, { token: reader.token });

  beforeAll(async () => {
    Object.assign(app.app.get(TimelineConfig, { strict: false }), { mergedFollows: 10 });
    [reader, ...authors] = await world.people(AUTHORS + 1);
    for (const { username } of authors) await app.client.put(`/v1/users/${username}/follow`, { token: reader.token });
    for (const author of authors) for (let count = 0; count < 3; count++) await world.post({ by: author });
    for (const { token } of await world.people(FANS))
      await app.client.put(`/v1/users/${authors[0]!.username}/follow`, { token });
    await page(10);
    await app.app.get(TaskWorker).drain(never);
  });

  it('reads a page by keys alone, and only documents that are shown', async () => {
    const plans = await plansOf(app, () => page(10));
    expect(plans).toHaveLength(4);
    const [timeline, entries, follows, cards] = plans as [(typeof plans)[0], ...typeof plans];
    expect(timeline).toMatchObject({ docsExamined: 1, nReturned: 1 });
    // Eleven entries, and a few to replace posts that are not shown.
    expect(entries).toMatchObject({ plan: 'IXSCAN {"_id":1}', keysExamined: 14, docsExamined: 0, nReturned: 14 });
    expect(follows).toMatchObject({ plan: 'IXSCAN {"_id":1}', docsExamined: 0 });
    expect(cards).toMatchObject({ plan: 'SORT IXSCAN {"_id":1}', docsExamined: 14, nReturned: 11 });
  });

  it('reads the followers of an author in the order of their follows, along an index', async () => {
    const follows = app.app.get(FollowsService, { strict: false });
    const first = await follows.followersAfter(authors[0]!._id, null, 5);
    const plans = await plansOf(app, () => follows.followersAfter(authors[0]!._id, first.at(-1)!.seq, 5));
    expect(plans).toMatchObject([
      { plan: 'IXSCAN {"followingId":1,"seq":-1}', keysExamined: 5, docsExamined: 5, nReturned: 5 },
    ]);
  });

  it('finds timelines and merged authors of a batch by primary key', async () => {
    const timelines = app.app.get(Timelines, { strict: false });
    const ids = [reader._id, ...authors.map(({ _id }) => _id)];
    const plans = await plansOf(app, async () => {
      await timelines.openAmong(ids);
      await timelines.popularAmong(ids);
    });
    expect(plans).toMatchObject([{ nReturned: 1 }, { nReturned: 0 }]);
    for (const { plan, docsExamined } of plans) {
      expect(plan).toBe('IXSCAN {"_id":1}');
      expect(docsExamined).toBeLessThanOrEqual(1);
    }
  });
});
