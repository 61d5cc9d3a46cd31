import { EngagementJob } from '../../src/ranking/engagement.job.js';
import { scoreAgeDays, scoredStatsOf, topScore } from '../../src/posts/score.js';
import type { Post } from '../../src/posts/post.schema.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { forgetReaders, runScoreJob } from '../support/ranks.js';
import { idsOf, verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const HOUR_MS = 3_600_000;
const COUNT = 24;
const TYPES = ['poem', 'article', 'story'] as const;

describe.each(['rising', 'discussed'] as const)('GET /v1/feed?sort=%s', (sort) => {
  const app = useApp();
  const { world } = app;
  const { send, walk } = verbsOf(app);
  let authors: Person[];
  let round = 0;

  beforeAll(async () => {
    authors = await world.people(2);
    for (let index = 0; index < COUNT; index++)
      await world.post({
        by: authors[index % 2]!,
        type: TYPES[index % 3]!,
        tags: index % 4 === 0 ? ['looms'] : ['else'],
      });
  });

  const posts = () => app.db.collection<Post>('posts');

  /** Changes the counters and ages of all posts, and runs the score job. */
  async function flip(): Promise<Post[]> {
    round++;
    const now = new Date();
    for (const [index, { _id }] of (await posts().find().sort({ _id: 1 }).toArray()).entries()) {
      const mixed = (index * 17 + round * 29) % 31;
      const createdAt = new Date(now.getTime() - ((index * round) % 9) * 20 * HOUR_MS);
      const stats = { 'stats.likesCount': mixed, 'stats.commentsCount': (mixed * 7) % 11 };
      await posts().updateOne({ _id }, { $set: { ...stats, createdAt, contentEditedAt: createdAt } });
    }
    await forgetReaders(app.db);
    expect(await runScoreJob(app, { now })).not.toBeNull();
    return scan(now);
  }

  /** The whole list by its definition. */
  async function scan(now: Date): Promise<Post[]> {
    const valueOf = (post: Post): number => {
      const { createdAt, contentEditedAt, stats } = post;
      if (sort === 'discussed')
        return stats.commentsCount / (scoreAgeDays(createdAt, contentEditedAt, now) + 2) ** 1.37;
      const hours = (now.getTime() - createdAt.getTime()) / HOUR_MS;
      const engagement = topScore(scoredStatsOf(post));
      return hours > 168 || engagement <= 1 ? 0 : engagement / (hours + 2);
    };
    const listed = await posts().find({ isListed: true }).toArray();
    return listed
      .map((post) => ({ post, value: valueOf(post) }))
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value || (a.post._id.toHexString() < b.post._id.toHexString() ? 1 : -1))
      .map(({ post }) => post);
  }

  const hexOf = (rows: Post[]) => rows.map(({ _id }) => _id.toHexString());

  it('equals a scan at each flip, with and without filters, in full pages', async () => {
    for (let times = 0; times < 3; times++) {
      const expected = await flip();
      expect(expected.length).toBeGreaterThan(10);
      // A limit of its own in each round, because other hosts may have cached the page.
      for (const limit of [2 + times, 100 - times]) {
        expect(idsOf(await walk(`feed?sort=${sort}`, limit))).toEqual(hexOf(expected));
        const looms = expected.filter(({ tags }) => tags.includes('looms'));
        expect(idsOf(await walk(`feed?sort=${sort}&tag=looms`, limit))).toEqual(hexOf(looms));
        const poems = expected.filter(({ type }) => type === 'poem');
        expect(idsOf(await walk(`feed?sort=${sort}&type=poem`, limit))).toEqual(hexOf(poems));
        const own = expected.filter(({ authorId }) => authorId.equals(authors[1]!._id));
        expect(idsOf(await walk(`feed?sort=${sort}&author=${authors[1]!.username}`, limit))).toEqual(hexOf(own));
      }
    }
  });

  it('continues in its own ranking after a flip, and responds cursor_expired after two', async () => {
    const before = hexOf(await flip());
    const { body } = await send(null, 'GET', `feed?sort=${sort}&limit=7`);
    expect(idsOf(body.data)).toEqual(before.slice(0, 7));
    const next = `feed?sort=${sort}&cursor=${body.page.nextCursor}`;

    await flip();
    expect(idsOf((await send(null, 'GET', `${next}&limit=6`)).body.data)).toEqual(before.slice(7, 13));
    await flip();
    expectProblem(await send(null, 'GET', `${next}&limit=5`), 400, 'cursor_expired');
  });

  it('omits posts that were hidden since the flip, and posts of accounts that the reader mutes', async () => {
    const expected = await flip();
    const [reader] = await world.people(1);
    const [hidden] = expected.splice(3, 1);
    const by = authors.find(({ _id }) => hidden!.authorId.equals(_id))!;
    await world.editPost(hidden!._id.toHexString(), { by, isPublic: false });
    const path = `/v1/users/${authors[0]!.username}/mute`;
    expect((await app.client.put(path, { token: reader.token, body: {} })).status).toBe(200);

    expect(idsOf(await walk(`feed?sort=${sort}`, 8))).toEqual(hexOf(expected));
    const shown = expected.filter(({ authorId }) => !authorId.equals(authors[0]!._id));
    expect(idsOf(await walk(`feed?sort=${sort}`, 9, reader))).toEqual(hexOf(shown));
    await world.editPost(hidden!._id.toHexString(), { by, isPublic: true });
  });
});

describe('the lists of the feed', () => {
  const app = useApp();

  it('are written at the next check of a database without them', async () => {
    await app.world.post({ by: await app.world.person() });
    await runScoreJob(app);
    const job = app.app.get(EngagementJob);
    expect(await job.isDue()).toBe(false);
    await app.db.collection('feed_lists').deleteMany({});
    expect(await job.isDue()).toBe(true);
  });
});
