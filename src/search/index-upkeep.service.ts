import { setTimeout as sleep } from 'node:timers/promises';
import { rmSync, statSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { indexPath } from './index-readers.js';
import { SearchDocuments } from './search-documents.js';
import { type DocumentKind, FIRST_STEP, type IndexState, type Scan, type Walk, walkOn } from './search-index.js';
import { readState, SqliteAudit } from './sqlite/sqlite-audit.js';
import { IndexHeldElsewhere, SqliteWriter } from './sqlite/sqlite-writer.js';

export type UpkeepOptions = { onProgress?: (step: { done: number; total: number }) => void; signal?: AbortSignal };
export type IndexStatus = IndexState & { bytes: number; lagMs: number | null };

const BATCH = 500;
const POLL_MS = 250;
/** A recent change may not be in the index yet. */
const SETTLE_MS = 2_000;

/** The commands of operators for the index of this host, beside a running server or without one. */
@Injectable()
export class IndexUpkeep {
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
      if (!(error instanceof IndexHeldElsewhere)) throw error;
      return await this.waitForServer(options);
    } finally {
      writer.close();
    }
  }

  /** Compares every document with the index. */
  async audit(
    onDifference: (kind: DocumentKind, id: string) => void,
    { onProgress, signal }: UpkeepOptions = {},
  ): Promise<{ documents: number; differences: number }> {
    const audit = SqliteAudit.open(this.path);
    if (audit === null) throw new Error('There is no search index yet; `search rebuild` makes one.');
    const total = await this.documents.count();
    const suspects = new Map<string, DocumentKind>();
    let documents = 0;
    let walk: Walk | null = FIRST_STEP;
    try {
      while (walk !== null) {
        signal?.throwIfAborted();
        const step = await this.documents.next(walk, BATCH);
        for (const id of audit.differences(step)) suspects.set(id, step.kind);
        documents += step.documents.length;
        onProgress?.({ done: documents, total });
        walk = walkOn(step);
      }
      if (suspects.size > 0) await sleep(SETTLE_MS, undefined, { signal });
      const kept = await this.confirm(audit, suspects);
      for (const [id, kind] of kept) onDifference(kind, id);
      return { documents, differences: kept.length + (audit.hasAllTexts() ? 0 : 1) };
    } finally {
      audit.close();
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

  private async confirm(
    audit: SqliteAudit,
    suspects: ReadonlyMap<string, DocumentKind>,
  ): Promise<[id: string, kind: DocumentKind][]> {
    const idsOf = (kind: DocumentKind): string[] => [...suspects].flatMap(([id, of]) => (of === kind ? [id] : []));
    const { posts, users } = await this.documents.find(idsOf('posts'), idsOf('users'));
    return [...suspects].filter(([id, kind]) => {
      const documents = kind === 'posts' ? posts.documents : users.documents;
      return audit.differs(
        kind,
        id,
        documents.find((document) => document.id === id),
      );
    });
  }
}
