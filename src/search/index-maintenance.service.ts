import { setTimeout as sleep } from 'node:timers/promises';
import { rmSync, statSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { indexPath } from './index-readers.js';
import { SearchDocuments } from './search-documents.js';
import type { IndexState, Scan } from './search-index.js';
import { readState } from './sqlite/database.js';
import { IndexLocked, SqliteWriter } from './sqlite/sqlite-writer.js';

export type UpkeepOptions = { onProgress?: (step: { done: number; total: number }) => void; signal?: AbortSignal };
export type IndexStatus = IndexState & { bytes: number; lagMs: number | null };

const BATCH = 500;
const POLL_MS = 250;

/** The commands of operators for the index of this host, beside a running server or without one. */
@Injectable()
export class IndexMaintenance {
  private readonly path: string;

  constructor(
    private readonly documents: SearchDocuments,
    config: AppConfig,
  ) {
    this.path = indexPath(config);
  }

  /** Rebuilds the index, or continues an interrupted build. A running server builds the index itself, and this waits for it. */
  async rebuild(options: UpkeepOptions = {}): Promise<IndexState> {
    const writer = new SqliteWriter(this.path);
    try {
      const state = writer.open();
      await this.build(writer, !state.isReady && state.scan !== null ? state.scan : null, options);
      return writer.state();
    } catch (error) {
      if (!(error instanceof IndexLocked)) throw error;
      return await this.waitForServer(options);
    } finally {
      writer.close();
    }
  }

  /** Null if there is no usable index. */
  status(): IndexStatus | null {
    const state = readState(this.path);
    if (state === null) return null;
    const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const lagMs = state.position === null ? null : Math.max(0, Date.now() - state.position.at);
    return { ...state, bytes: sizeOf(this.path) + sizeOf(`${this.path}-wal`), lagMs };
  }

  private async build(writer: SqliteWriter, begun: Scan | null, { onProgress, signal }: UpkeepOptions): Promise<void> {
    const total = await this.documents.count();
    if (begun === null) writer.reset();
    // there is no position here: the next server start scans for changes since
    let scan: Scan | null = begun ?? writer.startScan({ token: null, at: Date.now() });
    while (scan !== null) {
      signal?.throwIfAborted();
      scan = writer.applyScan(await this.documents.next(scan, BATCH)).scan;
      onProgress?.({ done: scan?.done ?? total, total });
    }
  }

  /** Waits for the writer, which detects that its file was deleted. */
  private async waitForServer({ onProgress, signal }: UpkeepOptions): Promise<IndexState> {
    const total = await this.documents.count();
    rmSync(this.path, { force: true });
    for (;;) {
      await sleep(POLL_MS, undefined, { signal });
      const state = readState(this.path);
      if (state?.isReady) return state;
      onProgress?.({ done: state?.scan?.done ?? 0, total });
    }
  }
}
