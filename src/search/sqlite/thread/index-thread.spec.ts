import { readdirSync } from 'node:fs';
import { openSqlite, postDocument, useIndex } from '../../../../test/support/search/test-index.js';
import type { IndexQuery } from '../../search-index.js';
import type { SqliteReader } from '../sqlite-reader.js';
import { termsOf } from '../../../common/words.js';
import { IndexThread } from './index-thread.js';

describe('IndexThread', () => {
  const index = useIndex(openSqlite);
  const post = postDocument({ title: 'Looms' });
  const query: IndexQuery = { terms: termsOf('looms'), kinds: ['posts'], sort: 'latest' };

  it('rejects the calls of a terminated thread, and runs the next one in a new thread', async () => {
    await index.fill([post]);
    const thread = new IndexThread<SqliteReader>({ role: 'reader', path: index.path });
    await thread.load();
    const calls = [thread.call('query', query), thread.call('query', query)];
    thread.end();
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
    expect((await thread.call('query', query)).posts.map(({ id }) => id)).toEqual([post.id]);
    await thread.close();
  });

  it('is closed when the threads that it has replaced have exited, too', async () => {
    await index.fill([post]);
    const threads = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0);
    const before = threads();
    const thread = new IndexThread<SqliteReader>({ role: 'reader', path: index.path });
    await thread.load();
    const calls = Array.from({ length: 200 }, () => thread.call('query', query));
    thread.end();
    await Promise.allSettled(calls);

    await thread.close();

    expect(threads()).toBe(before);
  });
});
