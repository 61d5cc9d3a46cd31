import { jest } from '@jest/globals';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ScoreEpochService } from '../../src/ranking/score-epoch.service.js';
import { ensureIndexes } from '../../src/platform/mongo/indexes/indexes.js';
import { useApp } from '../support/app.js';
import { createClient } from '../support/client.js';
import { loggerOf } from '../support/logger.js';

type Index = { name: string; key: Record<string, number> };

describe('a feed whose index is missing', () => {
  const app = useApp({ seeded: 'small', env: { CACHE_FEED_TTL_MS: '0' } });
  const posts = () => app.db.collection('posts');
  const indexes = async () => ((await posts().listIndexes().toArray()) as Index[]).map(({ name }) => name).sort();
  const ofSlot =
    (slot: string) =>
    ({ key }: Index): boolean =>
      Object.keys(key).some((field) => field.startsWith('rank.') && field.endsWith(slot));

  async function answers(): Promise<unknown[]> {
    const { tags, authorSnapshot } = (await posts().findOne({ isListed: true, 'tags.0': { $exists: true } }))!;
    const { username } = authorSnapshot as { username: string };
    const queries = [
      'sort=hot',
      'sort=hot&type=poem',
      `sort=hot&tag=${String(tags[0])}`,
      `sort=hot&author=${username}`,
    ];
    queries.push('sort=top', 'sort=top&window=month', `sort=top&tag=${String(tags[0])}`, `sort=top&author=${username}`);
    const pages = await Promise.all(queries.map((query) => app.client.get(`/v1/feed?limit=15&${query}`)));
    return pages.map(({ status, body }) => ({ status, body: body as unknown }));
  }

  async function dropReadSlot(): Promise<number> {
    const { slot } = (await app.app.get(ScoreEpochService).current()) as { slot: string };
    const missing = ((await posts().listIndexes().toArray()) as Index[]).filter(ofSlot(slot));
    await app.db.command({ dropIndexes: 'posts', index: missing.map(({ name }) => name) });
    return missing.length;
  }

  it('is served without it, with one line in the log, and increments a metric each time', async () => {
    const before = await answers();
    const said = jest.spyOn(loggerOf(app), 'error').mockImplementation(() => {});
    expect(await dropReadSlot()).toBe(7);
    expect(await answers()).toEqual(before);
    expect(await answers()).toEqual(before);
    const lines = said.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('posts has no index'));
    said.mockRestore();
    expect(lines).toHaveLength(7);
    expect(lines.join()).toContain('migrate up');
    const { body } = await createClient(app.ownUrl).get<string>('/metrics');
    const counts = [...body.matchAll(/^opencanvas_mongo_missing_index_reads_total\{.*\} (\d+)$/gm)];
    expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBeGreaterThanOrEqual(16);
  });

  it('gets the index back by `migrate up`', async () => {
    const connection = app.app.get<Connection>(getConnectionToken());
    await ensureIndexes(connection);
    const all = await indexes();
    expect(await dropReadSlot()).toBe(7);
    await ensureIndexes(connection);
    expect(await indexes()).toEqual(all);
  });
});
