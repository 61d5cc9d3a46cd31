import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { Semaphore } from '../common/semaphore.js';
import { within } from '../common/within.js';
import { AppConfig } from '../config/app-config.js';
import type { IndexResult, IndexQuery, PostCandidate, Suggestions } from './search-index.js';
import { observeQuery } from './search-metrics.js';
import { readState } from './sqlite/database.js';
import type { SqliteReader } from './sqlite/sqlite-reader.js';
import { IndexThread } from './thread/index-thread.js';
import type { Term } from '../common/words.js';

/** threads per web process, so that a slow query does not block the others */
const THREADS = 2;
/** maximum number of queries that wait for a thread */
const MAX_WAITING = 64;
/** A later response is useless while a user types. */
const DEADLINE_MS = 250;
/** A thread whose query takes longer is replaced, because the thread would block other queries. */
const MAX_QUERY_MS = 1_000;

/** Queries the index from the web processes, in threads, so that queries never block the event loop. */
@Injectable()
export class IndexReaders implements OnApplicationShutdown {
  private readonly threads: IndexThread<SqliteReader>[];
  private readonly idle: IndexThread<SqliteReader>[];
  private readonly semaphore = new Semaphore({ running: THREADS, waiting: MAX_WAITING, waitMs: DEADLINE_MS });
  private readonly path: string;
  readonly isEnabled: boolean;

  constructor(config: AppConfig) {
    this.path = indexPath(config);
    const data = { role: 'reader', path: this.path } as const;
    this.isEnabled = config.search.isEnabled;
    this.threads = Array.from({ length: THREADS }, () => new IndexThread<SqliteReader>(data));
    this.idle = [...this.threads];
  }

  /** @throws CodedError `search_not_ready`, `overloaded`; `not_found` if search is switched off */
  query(query: IndexQuery): Promise<IndexResult> {
    return this.callThread('search', (thread) => thread.call('query', query));
  }

  /** @throws as `query` */
  suggest(terms: Term[], limit: number): Promise<Suggestions> {
    return this.callThread('suggest', (thread) => thread.call('suggest', terms, limit));
  }

  /** @throws as `query` */
  similar(id: string): Promise<PostCandidate[]> {
    return this.callThread('similar', (thread) => thread.call('similar', id));
  }

  /** Does nothing if search is disabled. @throws CodedError `search_not_ready` while this host has no complete index */
  requireIndex(): void {
    if (this.isEnabled && readState(this.path)?.isReady !== true) throw notReady();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private async callThread<T>(
    operation: 'search' | 'suggest' | 'similar',
    call: (thread: IndexThread<SqliteReader>) => Promise<T>,
  ): Promise<T> {
    if (!this.isEnabled) throw new CodedError('not_found', 'Search is disabled on this server.');
    const waitingSince = performance.now();
    if (!(await this.semaphore.acquire())) {
      observeQuery(operation, 'late', performance.now() - waitingSince);
      throw tooSlow();
    }
    const thread = this.idle.pop()!;
    await thread.load();
    const startedAt = performance.now();
    let outcome: 'answered' | 'not_ready' | 'late' = 'answered';
    try {
      // A late query continues in its thread, and the next query waits for the thread.
      const result = await within(DEADLINE_MS, this.run(thread, call));
      if (result === undefined) throw tooSlow();
      return result;
    } catch (error) {
      outcome = error instanceof CodedError ? 'late' : 'not_ready';
      if (error instanceof Error && error.name === 'IndexNotReady') throw notReady();
      throw error;
    } finally {
      observeQuery(operation, outcome, performance.now() - startedAt);
    }
  }

  /** Returns undefined if the query took too long and its thread was replaced. */
  private async run<T>(
    thread: IndexThread<SqliteReader>,
    call: (thread: IndexThread<SqliteReader>) => Promise<T>,
  ): Promise<T | undefined> {
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

export function indexPath(config: AppConfig): string {
  // Another file with comments, so that a change of the setting rebuilds the index.
  const kinds = config.search.hasComments ? '.comments' : '';
  return join(config.search.directory, `${config.mongo.database}${kinds}.db`);
}

function tooSlow(): CodedError {
  return new CodedError('overloaded', 'Search is busy. Try again in a moment.', { retryAfterSeconds: 1 });
}

function notReady(): CodedError {
  const detail = 'The search index of this server is being built; everything else works.';
  return new CodedError('search_not_ready', detail, { retryAfterSeconds: 5 });
}
