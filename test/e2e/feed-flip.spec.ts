import { EngagementJob } from '../../src/ranking/engagement.job.js';
import { ScoreEpochService } from '../../src/ranking/score-epoch.service.js';
import { startApp, useApp } from '../support/app.js';
import { createClient } from '../support/client.js';
import { runScoreJob } from '../support/ranks.js';
import type { Person } from '../support/world.js';

const COUNT = 25;

describe('paging while the ranking changes', () => {
  const app = useApp();
  const { world } = app;
  let author: Person;

  beforeAll(async () => {
    author = await world.person();
    for (let index = 0; index < COUNT; index++) {
      const body = { title: `Post ${index}`, content: 'text', type: 'poem', isPublic: true };
      expect((await app.client.post('/v1/posts', { body, token: author.token })).status).toBe(201);
    }
  });

  /** Changes the counters so that the next scoring moves every post. */
  async function turnAround(): Promise<void> {
    await moveAll();
    expect(await runScoreJob(app)).not.toBeNull();
  }

  async function moveAll(): Promise<void> {
    const rows = await app.db.collection('posts').find().toArray();
    for (const { _id } of rows)
      await app.db
        .collection('posts')
        .updateOne({ _id }, { $set: { 'stats.viewsCount': Math.floor(Math.random() * 10_000) } });
  }

  const page = (cursor: string | null) =>
    app.client.get(`/v1/feed?sort=hot&limit=5${cursor === null ? '' : `&cursor=${cursor}`}`);

  it('shows every post once to a reader who started before the flip', async () => {
    await turnAround();
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let number = 0; number === 0 || cursor !== null; number++) {
      const { status, body } = await page(cursor);
      expect(status).toBe(200);
      seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
      cursor = body.page.nextCursor as string | null;
      if (number === 1) await turnAround();
    }
    expect(seen).toHaveLength(COUNT);
    expect(new Set(seen).size).toBe(COUNT);
  });

  it('continues at a host that has not read the new epoch yet', async () => {
    const other = await startApp({ beside: app, direct: 'a further server that no proxy knows' });
    try {
      await turnAround();
      const epochs = other.app.get(ScoreEpochService);
      await moveAll();
      // Refreshes just before the flip, so that the next refresh is due a second later.
      expect(await app.app.get(EngagementJob).run({ onProgress: () => void epochs.refresh() })).not.toBeNull();
      const first = await createClient(app.ownUrl).get('/v1/feed?sort=hot&limit=6');
      const next = await other.client.get(`/v1/feed?sort=hot&limit=6&cursor=${first.body.page.nextCursor}`);
      expect([next.status, next.body.code]).toEqual([200, undefined]);
    } finally {
      await other.close();
    }
  });

  it('responds cursor_expired two rankings later, instead of with a wrong page', async () => {
    const { body } = await page(null);
    await turnAround();
    await turnAround();
    const { status, body: problem } = await page(body.page.nextCursor as string);
    expect([status, problem.code]).toEqual([400, 'cursor_expired']);
  });
});
