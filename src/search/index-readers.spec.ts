import { basename, dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { openSqlite, postDocument, useIndex } from '../../test/support/search-index.js';
import { until } from '../../test/support/until.js';
import type { AppConfig } from '../config/app-config.js';
import { IndexReaders } from './index-readers.js';
import type { IndexQuery } from './search-index.js';
import type { IndexThread } from './thread/index-thread.js';
import { termsOf } from '../common/words.js';

describe('IndexReaders', () => {
  const index = useIndex(openSqlite);
  const post = postDocument({ title: 'Looms' });
  const query: IndexQuery = { terms: termsOf('looms'), kinds: ['posts'], sort: 'latest' };

  it('refuses a late query, and replaces a thread that it holds for a second', async () => {
    index.fill([post]);
    const [directory, database] = [dirname(index.path), basename(index.path, '.db')];
    const readers = new IndexReaders({ search: { isEnabled: true, directory }, mongo: { database } } as AppConfig);
    const held = new Set<Worker | undefined>();
    const endless = (thread: IndexThread<never>): Promise<never> => {
      held.add(thread['worker']);
      return new Promise(() => {});
    };

    const late = await Promise.allSettled([
      readers['callThread']('search', endless),
      readers['callThread']('search', endless),
    ]);
    // Each attempt waits for one of the two threads.
    const found = await until(() => readers.query(query).catch(() => null));

    for (const one of late) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } });
    expect(found.posts.map(({ id }) => id)).toEqual([post.id]);
    expect(held.size).toBe(2);
    // One free thread responds, while the other may not be replaced yet.
    await until(() => (readers['threads'].some((thread) => held.has(thread['worker'])) ? null : true));
    await readers.onApplicationShutdown();
  });
});
