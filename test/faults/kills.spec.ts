import { COLLECTIONS_KILLED } from '../support/kills/collections.js';
import { DRAFTS_KILLED } from '../support/kills/drafts.js';
import { killDuring } from '../support/kills/kill-during.js';
import { LIKES_KILLED } from '../support/kills/likes.js';
import { TASKS_KILLED } from '../support/kills/tasks.js';
import { INDEX_KILLED, indexDifferences, titlesFound } from '../support/kills/search.js';
import { TIMELINES_KILLED } from '../support/kills/timelines.js';
import { UPLOADS_KILLED } from '../support/kills/uploads.js';
import { publish, useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { runCli } from './suite/server-under-test.js';

/** Each kill of the jobs process delays its next start, so these kills are separate cases. */
const CASES = [
  TIMELINES_KILLED,
  COLLECTIONS_KILLED,
  TASKS_KILLED,
  UPLOADS_KILLED,
  DRAFTS_KILLED,
  LIKES_KILLED,
  INDEX_KILLED,
];

const environment = {
  SEARCH: 'sqlite',
  // Cleanups begin at once, and are slow enough to be killed.
  CLEANUP_DELAY_MS: '0',
  CLEANUP_ROWS_PER_SECOND: '200',
  // An event invalidates a response, not its age.
  CACHE_FEED_TTL_MS: '600000',
};

describe('a server of five processes', () => {
  const server = useServer({ processes: 2, jobs: true, people: 8, posts: 20, environment });

  it.each(CASES)('kill -9 $name', (kill) => killDuring(server, kill));

  it('GET /v1/search: a new post appears at both web processes', async () => {
    /** Uses a new connection. Returns the process that responded, and its number of results. */
    const searchOnce = async (word: string): Promise<{ worker: string; count: number }> => {
      const url = `${server.url}/v1/search?kind=posts&q=${word}`;
      const response = await fetch(url, { headers: { connection: 'close' } });
      const { data } = (await response.json()) as { data: { posts: unknown[] } };
      return { worker: response.headers.get('x-request-id')?.split('-')[1] ?? '', count: data.posts.length };
    };
    const untilBothFind = async (word: string, wanted: number): Promise<void> => {
      const workers = new Set<string>();
      await until(async () => {
        const { worker, count } = await searchOnce(word);
        if (count === wanted) workers.add(worker);
        return workers.size === 2 || null;
      });
    };
    await until(async () => (await server.client.get('/v1/search?q=a')).status === 200 || null);
    for (const word of ['visible0x', 'visible1x', 'visible2x']) {
      await untilBothFind(word, 0);
      await publish(server, { title: `This is ${word}` });
      await untilBothFind(word, 1);
    }
  });

  it('cli search rebuild: the server rebuilds its index', async () => {
    const command = async (name: string) => (await runCli(server.host, ['search', name])).output;
    await publish(server, { title: 'Here before the rebuild' });
    expect(await command('status')).toMatch(/ posts and .* accounts, .* MB, .* s behind at most\.$/m);
    expect(await command('rebuild')).toMatch(/ accounts, .* It took/);
    expect(await indexDifferences(server)).toEqual([]);
    expect(await titlesFound(server, 'rebuild')).toEqual(['Here before the rebuild']);
  });
});
