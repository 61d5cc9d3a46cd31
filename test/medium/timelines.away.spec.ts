import { TimelineConfig } from '../../src/feed/timelines/timeline-config.js';
import { Timelines } from '../../src/feed/timelines/timelines.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { useApp } from '../support/app.js';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

describe('a reader who was inactive', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '1000000', CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;

  it.each([
    ['returns', true],
    ['stays away', false],
  ])('and %s while a post is delivered misses nothing', async (_, comesBack) => {
    const limits = app.app.get(TimelineConfig, { strict: false });
    Object.assign(limits, { mergedFollows: 1 });
    const timelines = app.app.get(Timelines, { strict: false });
    const [reader, ...authors] = await world.people(3);
    const { token } = reader;
    const drain = () => app.app.get(TaskWorker).drain(never);
    const page = async () => (await app.client.get('/v1/feed/following', { token })).body.data as { id: string }[];
    for (const { username } of authors) await app.client.put(`/v1/users/${username}/follow`, { token });
    await page();
    await drain();
    const rows = app.db.collection('home_timelines');
    const filter = { _id: reader._id };
    expect(await rows.findOne(filter)).toMatchObject({ isFilled: true });

    const seenAt = new Date(Date.now() - (limits.inactiveDays + 1) * DAY_MS);
    await rows.updateOne(filter, { $set: { seenAt } });
    const close = timelines.close.bind(timelines);
    timelines.close = async (...given) => {
      if (comesBack) await rows.updateOne(filter, { $set: { seenAt: new Date() } });
      return close(...given);
    };
    const posts = [await world.post({ by: authors[0] }), await world.post({ by: authors[1] })];
    try {
      await drain();
    } finally {
      timelines.close = close;
    }
    expect((await rows.findOne(filter)) !== null).toBe(comesBack);
    expect((await page()).map(({ id }) => id)).toEqual(posts.map(({ id }) => id).reverse());
  });
});
