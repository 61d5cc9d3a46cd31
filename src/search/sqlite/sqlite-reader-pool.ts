import { Semaphore } from '../../common/semaphore.js';
import { within } from '../../common/within.js';
import type { Term } from '../../common/words.js';
import {
  IndexBusy,
  type IndexQuery,
  type IndexReader,
  type IndexResult,
  type PostCandidate,
  type Suggestions,
} from '../search-index.js';
import type { SqliteReader } from './sqlite-reader.js';
import { IndexThread } from './thread/index-thread.js';

/** threads per web process, so that a slow query does not block the others */
const THREADS = 2;
/** maximum number of queries that wait for a thread */
const MAX_WAITING = 64;
/** A later response is useless while a user types. */
const DEADLINE_MS = 250;
/** A thread whose query takes longer is replaced, because the thread would block other queries. */
const MAX_QUERY_MS = 1_000;

type Call<T> = (thread: IndexThread<SqliteReader>) => Promise<T>;

/** Queries the index in threads, so that queries never block the event loop. */
export class SqliteReaderPool implements IndexReader {
  private readonly threads: IndexThread<SqliteReader>[];
  private readonly idle: IndexThread<SqliteReader>[];
  private readonly semaphore = new Semaphore({ running: THREADS, waiting: MAX_WAITING, waitMs: DEADLINE_MS });

  constructor(path: string) {
    this.threads = Array.from({ length: THREADS }, () => new IndexThread<SqliteReader>({ role: 'reader', path }));
    this.idle = [...this.threads];
  }

  query(query: IndexQuery): Promise<IndexResult> {
    return this.callThread((thread) => thread.call('query', query));
  }

  suggest(terms: Term[], limit: number): Promise<Suggestions> {
    return this.callThread((thread) => thread.call('suggest', terms, limit));
  }

  similar(id: string): Promise<PostCandidate[]> {
    return this.callThread((thread) => thread.call('similar', id));
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private async callThread<T>(call: Call<T>): Promise<T> {
    if (!(await this.semaphore.acquire())) throw new IndexBusy('no thread was free in time');
    const thread = this.idle.pop()!;
    await thread.load();
    // A late query continues in its thread, and the next query waits for the thread.
    const result = await within(DEADLINE_MS, this.run(thread, call));
    if (result === undefined) throw new IndexBusy('the query took too long');
    return result;
  }

  /** Returns undefined if the query took too long and its thread was replaced. */
  private async run<T>(thread: IndexThread<SqliteReader>, call: Call<T>): Promise<T | undefined> {
    try {
      const result = await within(MAX_QUERY_MS, call(thread));
      if (result === undefined) thread.end();
      return result;
    } finally {
      this.idle.push(thread);
      this.semaphore.release();
    }
  }
}
