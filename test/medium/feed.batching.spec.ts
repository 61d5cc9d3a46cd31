import type { CommandStartedEvent, Document } from 'mongodb';
import { FeedReader } from '../../src/feed/feed-reader.js';
import { FeedService } from '../../src/feed/feed.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useApp } from '../support/app.js';

type FeedBody = { data: { id: string }[]; page: { nextCursor: string | null } };
type Explained = { executionStats: { nReturned: number; totalDocsExamined: number; executionStages: Document } };

const LIMIT = 20;

function stagesOf(stage: Document): string[] {
  const inner = stage['inputStage'] as Document | undefined;
  return [stage['stage'] as string, ...(inner ? stagesOf(inner) : [])];
}

describe('feed pages that are requested at the same time', () => {
  const app = useApp({ seeded: 'small', env: { CACHE_FEED_TTL_MS: '0', RATE_LIMIT_ENABLED: 'false' } });
  const reader = (): FeedReader => app.app.get(FeedReader, { strict: false });
  const page = async (cursor?: string): Promise<FeedBody> => {
    const feed = app.app.get(FeedService, { strict: false });
    const { json } = await feed.list({ sort: 'hot', window: 'all', limit: LIMIT, cursor });
    return JSON.parse(json.toString()) as FeedBody;
  };

  /** Pages by the hot-feed cursor before them, read one after the other. */
  const pages = new Map<string, FeedBody>();
  beforeAll(async () => {
    let next = (await page()).page.nextCursor;
    while (next !== null) {
      const found = await page(next);
      pages.set(next, found);
      next = found.page.nextCursor;
    }
  });

  async function together(cursors: string[]): Promise<{ found: FeedBody[]; queries: number; commands: Document[] }> {
    const { client } = app.app.get(MongoService, { strict: false });
    const commands: Document[] = [];
    const note = (event: CommandStartedEvent): unknown =>
      event.commandName === 'aggregate' && commands.push(event.command);
    client.on('commandStarted', note);
    const before = reader().queries;
    const found = await Promise.all(cursors.map((cursor) => page(cursor)));
    client.off('commandStarted', note);
    return { found, queries: reader().queries - before, commands };
  }

  it('share round trips, and equal the pages of single reads', async () => {
    const cursors = [...pages.keys()].slice(0, 40);
    const { found, queries } = await together(cursors);
    expect(found).toEqual(cursors.map((cursor) => pages.get(cursor)));
    expect(queries).toBeLessThan(cursors.length / 2);
  });

  it('falls back to single reads when a batched page is short', async () => {
    const cursors = [...pages.keys()].slice(-10);
    const { found } = await together(cursors);
    expect(found.at(-1)!.page.nextCursor).toBeNull();
    expect(found).toEqual(cursors.map((cursor) => pages.get(cursor)));
  });

  it('are one index range each, without a sort, and examine only returned rows', async () => {
    const cursors = [...pages.keys()].slice(-26, -1);
    const { commands } = await together(cursors);
    expect(commands.length).toBeGreaterThan(0);
    for (const { aggregate, pipeline, hint } of commands) {
      const explain = {
        aggregate: aggregate as string,
        pipeline: pipeline as Document[],
        hint: hint as Document,
        cursor: {},
      };
      const { stages } = await app.db.command({ explain, verbosity: 'executionStats' });
      const branches = (stages as Document[]).flatMap((stage): Explained[] => {
        if (stage['$cursor'] !== undefined) return [stage['$cursor'] as Explained];
        const inner = (stage['$unionWith'] as { pipeline: Document[] }).pipeline;
        return inner.map((each) => each['$cursor'] as Explained);
      });
      expect(branches).toHaveLength((pipeline as Document[]).filter((stage) => '$unionWith' in stage).length + 1);
      for (const { executionStats } of branches) {
        expect(stagesOf(executionStats.executionStages)).toContain('IXSCAN');
        expect(stagesOf(executionStats.executionStages)).not.toContain('SORT');
        expect(executionStats.nReturned).toBe(LIMIT + 1);
        // The query examines the card of the cursor and drops it, as for a single page.
        expect(executionStats.totalDocsExamined - executionStats.nReturned).toBeLessThanOrEqual(1);
      }
    }
  });
});
