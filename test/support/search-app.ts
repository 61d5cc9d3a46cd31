import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndexFeed } from '../../src/search/index-feed.service.js';
import type { TestApp } from './app.js';
import { until } from './spawned-host.js';

/** Settings under which the one process of an app under test writes an index and reads it. */
export function useSearchSettings(): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-search-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return { SEARCH: 'sqlite', JOBS_ENABLED: 'false', DATA_DIR: directory };
}

/** Everything that was written so far can be found when this resolves. */
export async function indexAll({ app, client }: TestApp): Promise<void> {
  await app.get(IndexFeed).rescan();
  await until(async () => ((await client.get('/v1/search/suggest?q=a')).status === 200 ? true : null), 30_000);
}

/** What a client does with 503: a query that had no processor for its 250 ms is asked again. */
export async function askedAgain<T>(ask: () => Promise<T>, isBusy: (answer: T | Error) => boolean): Promise<T> {
  return until(async () => {
    const answer = await ask().catch((error: unknown) => error as Error);
    if (isBusy(answer)) return null;
    if (answer instanceof Error) throw answer;
    return answer;
  }, 30_000);
}
