import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SearchDocuments } from './search-documents.js';
import {
  IndexLocked,
  type IndexState,
  type IndexWriter,
  type Scan,
  SearchEngine,
  type StoredState,
} from './search-index.js';

export type UpkeepOptions = { onProgress?: (step: { done: number; total: number }) => void; signal?: AbortSignal };
export type IndexStatus = StoredState & { lagMs: number | null };

const BATCH = 500;
const POLL_MS = 250;

/** Operator commands for the index, with or without a running server. */
@Injectable()
export class IndexMaintenanceService {
  constructor(
    private readonly documents: SearchDocuments,
    private readonly engine: SearchEngine,
  ) {}

  /** Rebuilds the index, or continues an interrupted build. If a server is running, waits until the server has rebuilt the index. */
  async rebuild(options: UpkeepOptions = {}): Promise<IndexState> {
    const writer = this.engine.createWriter();
    try {
      const state = await writer.open();
      await this.build(writer, !state.isReady && state.scan !== null ? state.scan : null, options);
      return await writer.state();
    } catch (error) {
      if (!(error instanceof IndexLocked)) throw error;
      return await this.waitForServer(options);
    } finally {
      await writer.close();
    }
  }

  /** Returns null if there is no usable index. */
  async status(): Promise<IndexStatus | null> {
    const state = await this.engine.readState();
    if (state === null) return null;
    const lagMs = state.position === null ? null : Math.max(0, Date.now() - state.position.at);
    return { ...state, lagMs };
  }

  private async build(writer: IndexWriter, begun: Scan | null, { onProgress, signal }: UpkeepOptions): Promise<void> {
    const total = await this.documents.count();
    if (begun === null) await writer.reset();
    // The scan has no stream position, so the next server start scans for later changes.
    let scan: Scan | null = begun ?? (await writer.startScan({ token: null, at: Date.now() }));
    while (scan !== null) {
      signal?.throwIfAborted();
      ({ scan } = await writer.applyScan(await this.documents.next(scan, BATCH)));
      onProgress?.({ done: scan?.done ?? total, total });
    }
  }

  private async waitForServer({ onProgress, signal }: UpkeepOptions): Promise<IndexState> {
    const total = await this.documents.count();
    await this.engine.requestRebuild();
    for (;;) {
      await sleep(POLL_MS, undefined, { signal });
      const state = await this.engine.readState();
      if (state?.isReady && state.scan === null) return state;
      onProgress?.({ done: state?.scan?.done ?? 0, total });
    }
  }
}
