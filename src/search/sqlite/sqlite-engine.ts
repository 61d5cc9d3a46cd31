import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AppConfig } from '../../config/app-config.js';
import { type IndexReader, type IndexWriter, SearchEngine, type StoredState } from '../search-index.js';
import { readState } from './database.js';
import { SqliteReaderPool } from './sqlite-reader-pool.js';
import type { SqliteWriter } from './sqlite-writer.js';
import { IndexThread } from './thread/index-thread.js';

/** An index in a file of this host, which one process writes in a thread, and others read in threads. */
export class SqliteEngine extends SearchEngine {
  readonly isShared = false;
  readonly reader: IndexReader;
  private readonly path: string;

  constructor(config: AppConfig) {
    super();
    this.path = indexPath(config);
    this.reader = new SqliteReaderPool(this.path);
  }

  createWriter(): IndexWriter {
    const thread = new IndexThread<SqliteWriter>({ role: 'writer', path: this.path });
    return {
      open: () => thread.call('open'),
      apply: (changes, position) => thread.call('apply', changes, position),
      moveTo: (position) => thread.call('moveTo', position),
      startScan: (position) => thread.call('startScan', position),
      applyScan: (step) => thread.call('applyScan', step),
      reset: () => thread.call('reset'),
      state: () => thread.call('state'),
      takeUnreadable: () => thread.call('takeUnreadable'),
      close: () => thread.close(),
    };
  }

  async readState(): Promise<StoredState | null> {
    const state = readState(this.path);
    if (state === null) return null;
    const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return { ...state, bytes: sizeOf(this.path) + sizeOf(`${this.path}-wal`) };
  }

  /** Deletes the file. The writer detects the deletion and builds a new index. */
  async requestRebuild(): Promise<void> {
    rmSync(this.path, { force: true });
  }
}

export function indexPath(config: AppConfig): string {
  // Another file with comments, so that a change of the setting rebuilds the index.
  const kinds = config.search.hasComments ? '.comments' : '';
  return join(config.search.directory, `${config.mongo.database}${kinds}.db`);
}
