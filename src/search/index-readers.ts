import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import type { Term } from '../common/words.js';
import { AppConfig } from '../config/app-config.js';
import {
  IndexBusy,
  IndexNotReady,
  type IndexQuery,
  type IndexReader,
  type IndexResult,
  type PostCandidate,
  SearchEngine,
  type Suggestions,
} from './search-index.js';
import { observeQuery } from './search-metrics.js';

/** Queries the index from the web processes, and translates the errors of the engine. */
@Injectable()
export class IndexReaders implements OnApplicationShutdown {
  readonly isEnabled: boolean;

  constructor(
    private readonly engine: SearchEngine,
    config: AppConfig,
  ) {
    this.isEnabled = config.search.isEnabled;
  }

  /** @throws CodedError `search_not_ready`, `overloaded`; `not_found` if search is switched off */
  query(query: IndexQuery): Promise<IndexResult> {
    return this.observe('search', (reader) => reader.query(query));
  }

  /** @throws as `query` */
  suggest(terms: Term[], limit: number): Promise<Suggestions> {
    return this.observe('suggest', (reader) => reader.suggest(terms, limit));
  }

  /** @throws as `query` */
  similar(id: string): Promise<PostCandidate[]> {
    return this.observe('similar', (reader) => reader.similar(id));
  }

  /**
   * Does nothing if search is disabled, or if hosts share an index, because a host serves everything else without it.
   * @throws CodedError `search_not_ready` while this host has no complete index
   */
  async requireIndex(): Promise<void> {
    const needsIndex = this.isEnabled && !this.engine.isShared;
    if (needsIndex && (await this.engine.readState())?.isReady !== true) throw notReady();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.engine.reader.close();
  }

  private async observe<T>(
    operation: 'search' | 'suggest' | 'similar',
    call: (reader: IndexReader) => Promise<T>,
  ): Promise<T> {
    if (!this.isEnabled) throw new CodedError('not_found', 'Search is disabled on this server.');
    const startedAt = performance.now();
    let outcome: 'answered' | 'not_ready' | 'late' = 'answered';
    try {
      return await call(this.engine.reader);
    } catch (error) {
      outcome = error instanceof IndexBusy ? 'late' : 'not_ready';
      if (error instanceof IndexBusy) throw tooSlow();
      if (error instanceof IndexNotReady) throw notReady();
      throw error;
    } finally {
      observeQuery(operation, outcome, performance.now() - startedAt);
    }
  }
}

function tooSlow(): CodedError {
  return new CodedError('overloaded', 'Search is busy. Try again in a moment.', { retryAfterSeconds: 1 });
}

function notReady(): CodedError {
  const detail = 'The search index of this server is being built; everything else works.';
  return new CodedError('search_not_ready', detail, { retryAfterSeconds: 5 });
}
