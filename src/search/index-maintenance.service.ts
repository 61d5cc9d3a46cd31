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

/** Operator commands for the index of this host, with or without a running server. */
@Injectable()
export class IndexMaintenanceService {
  private readonly path: string;

  constructor(
    private readonly documents: SearchDocuments,
    config: AppConfig,
  ) {
    this.path = indexPath(config);
  }

  /** Rebuilds the index, or continues an interrupted build. If a server is running, waits until the server has rebuilt the index. */
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

  /** Returns null if there is no usable index. */
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
    // The scan has no stream position, so the next server start scans for later changes.
    let scan: Scan | null = begun ?? writer.startScan({ token: null, at: Date.now() });
    while (scan !== null) {
      signal?.throwIfAborted();
      scan = writer.applyScan(await this.documents.next(scan, BATCH)).scan;
      onProgress?.({ done: scan?.done ?? total, total });
    }
  }

  /** Deletes the file. The writer of the server detects the deletion and builds a new index. */
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
