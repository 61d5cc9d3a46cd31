import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IndexFeed } from '../../src/search/index-feed.service.js';
import type { TestApp } from './app.js';
import { createClient } from './client.js';
import { until } from './until.js';

/** Settings under which the one process of an app under test writes an index and reads it. */
export function useSearchSettings(): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-search-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return { SEARCH: 'sqlite', JOBS_ENABLED: 'false', DATA_DIR: directory };
}

/** Everything that was written so far can be found when this resolves. */
export async function indexAll({ hosts }: TestApp): Promise<void> {
  for (const { app, url } of hosts) {
    await app.get(IndexFeed).rescan();
    const { get } = createClient(url);
    await until(async () => ((await get('/v1/search/suggest?q=a')).status === 200 ? true : null));
  }
}
