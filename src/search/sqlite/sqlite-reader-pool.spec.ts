import type { Worker } from 'node:worker_threads';
import { openSqlite, postDocument, useIndex } from '../../../test/support/search/test-index.js';
import { until } from '../../../test/support/until.js';
import { SqliteReaderPool } from './sqlite-reader-pool.js';
import type { IndexQuery } from '../search-index.js';
import type { IndexThread } from './thread/index-thread.js';
import { termsOf } from '../../common/words.js';

describe('SqliteReaderPool', () => {
  const index = useIndex(openSqlite);
  const post = postDocument({ title: 'Looms' });
  const query: IndexQuery = { terms: termsOf('looms'), kinds: ['posts'], sort: 'latest' };

  it('refuses a late query, and replaces a thread that it holds for a second', async () => {
    await index.fill([post]);
    const readers = new SqliteReaderPool(index.path);
    const held = new Set<Worker | undefined>();
    const endless = (thread: IndexThread<never>): Promise<never> => {
      held.add(thread['worker']);
      return new Promise(() => {});
    };

    const late = await Promise.allSettled([readers['callThread'](endless), readers['callThread'](endless)]);
    // Each attempt waits for one of the two threads.
    const found = await until(() => readers.query(query).catch(() => null));

    for (const one of late) expect(one).toMatchObject({ status: 'rejected', reason: { name: 'IndexBusy' } });
    expect(found.posts.map(({ id }) => id)).toEqual([post.id]);
    expect(held.size).toBe(2);
    // One free thread responds, while the other may not be replaced yet.
    await until(() => (readers['threads'].some((thread) => held.has(thread['worker'])) ? null : true));
    await readers.close();
  });
});
