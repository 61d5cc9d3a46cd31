import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { within } from '../common/within.js';
import { AppConfig } from '../config/app-config.js';
import { CACHE_INVALIDATED } from '../platform/cache/invalidation-channel.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { SEARCH_POSTS } from '../posts/indexable-posts.service.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { EventPublisher } from '../platform/events/event-publisher.js';
import { EventStream } from '../platform/events/event-stream.js';
import { skipRow } from '../platform/mongo/readable-rows.js';
import { isAfter, PendingChanges } from './pending-changes.js';
import { SEARCH_TAG } from './search-cache.js';
import { SearchDocuments } from './search-documents.js';
import {
  IndexLocked,
  IndexLost,
  type IndexState,
  type IndexWriter,
  type Position,
  type Scan,
  SearchEngine,
} from './search-index.js';
import { observeDocuments, observeIndexed } from './search-metrics.js';

/** documents per transaction; changes during one wait for at most some 100 ms */
const BATCH = 200;
/** how often the index stores the position of the stream while nothing changes */
const IDLE_MS = 10_000;
const RETRY_MS = 1_000;
/** Events of other hosts wait for the position. */
const LOAD_TIMEOUT_MS = 3_000;
const STATE_EVERY_MS = 15_000;
/** bus channel */
const STATE = 'search:state';

/**
 * Synchronizes the index of this host with the database, in the one process that follows the event stream. Each event names the posts and
 * accounts that a commit changed. Their rows are read again and indexed in one transaction with the position of the event. After missed
 * events, or without an index, all documents are scanned; changes take precedence over the next step of the scan.
 */
@Injectable()
export class IndexSyncService implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Search');
  private readonly writer: IndexWriter;
  private readonly isWriter: boolean;
  private readonly pending = new PendingChanges();
  private readonly ending = new AbortController();
  private gap: Position | null = null;
  private scan: Scan | null = null;
  private wake: () => void = () => {};
  private running: Promise<void> | undefined;
  private loggedAt = -Infinity;
  /** state of the index for operators; a detail of readiness */
  state: unknown;

  constructor(
    private readonly documents: SearchDocuments,
    private readonly stream: EventStream,
    private readonly cache: ResponseCache,
    private readonly bus: ClusterBus,
    private readonly events: EventPublisher,
    private readonly engine: SearchEngine,
    config: AppConfig,
  ) {
    this.isWriter = config.search.isEnabled && stream.isFollower;
    this.writer = engine.createWriter();
  }

  onModuleInit(): void {
    this.bus.subscribe(STATE, (state) => (this.state = state));
    if (!this.isWriter) return;
    this.stream.subscribeDurably(CACHE_INVALIDATED, {
      // Without a usable index, or one that responds, the stream begins with a gap.
      load: async () => (await within(LOAD_TIMEOUT_MS, this.engine.readState()))?.position?.token ?? undefined,
      onEvent: (tags, token, at) => {
        const position = { token, at: at.getTime() };
        if (!this.pending.add(tags, position)) this.gap = position;
        this.wake();
      },
      onGap: (token) => {
        this.gap = { token, at: Date.now() };
        this.wake();
      },
    });
  }

  onApplicationBootstrap(): void {
    if (this.isWriter) this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    this.wake();
    await this.running;
    await this.writer.close();
  }

  /** Resolves when the index contains all documents of the database at the time of the call. */
  async rescan(): Promise<void> {
    this.gap = this.present();
    this.wake();
    while (this.gap !== null || this.scan !== null) await sleep(20, undefined, { signal: this.ending.signal });
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    let isOpen = false;
    while (!signal.aborted) {
      try {
        if (!isOpen) this.use(await this.writer.open());
        isOpen = true;
        await this.step();
      } catch (error) {
        if (signal.aborted) return;
        const { message } = error as Error;
        if (error instanceof IndexLost) {
          this.logger.warn(`The search index is rebuilt: ${message}`);
          this.gap = this.present();
          isOpen = await this.writer.reset().then(
            () => true,
            () => false,
          );
          if (isOpen) continue;
        }
        // The process before a restart, or another host, writes.
        if (error instanceof IndexLocked) this.follow(error);
        else this.logger.warn(`The search index is not updated: ${message}`);
        // A writer whose thread ended has no open index.
        isOpen = false;
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Forgets what another process has written. This process continues when the other one ends. */
  private follow({ message, position }: IndexLocked): void {
    this.logger.debug(message);
    if (position === null) return;
    this.pending.discardUpTo(position);
    if (this.gap !== null && !isAfter(this.gap, position)) this.gap = null;
  }

  private async step(): Promise<void> {
    if (this.gap !== null) await this.beginScan(this.gap);
    else if (!this.pending.isEmpty) await this.applyChanges();
    else if (this.scan !== null) await this.continueScan(this.scan);
    else await this.idle();
    if (performance.now() - this.loggedAt > STATE_EVERY_MS) await this.publishState();
  }

  private async beginScan(gap: Position): Promise<void> {
    this.scan = await this.writer.startScan(gap);
    if (this.gap === gap) this.gap = null;
  }

  private async applyChanges(): Promise<void> {
    const batch = this.pending.take(BATCH);
    try {
      const changes = await this.documents.find(batch.ids);
      const changed = await this.writer.apply(changes, batch.position);
      await this.invalidateResponses(changed);
      if (changed > 0) observeIndexed(changed, batch.position === null ? undefined : Date.now() - batch.position.at);
    } catch (error) {
      this.pending.restore(batch);
      throw error;
    }
  }

  private async continueScan(scan: Scan): Promise<void> {
    const step = await this.documents.next(scan, BATCH);
    const { scan: rest, changed } = await this.writer.applyScan(step);
    // A gap may have started another scan.
    if (this.scan === scan) this.scan = rest;
    await this.invalidateResponses(changed);
    observeIndexed(changed);
    if (rest === null) await this.publishState();
  }

  private async idle(): Promise<void> {
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    await within(IDLE_MS, woken);
    // The stream's position applies to the index only while no change is pending or missed.
    if (this.pending.isEmpty && this.gap === null && this.stream.position !== undefined)
      await this.writer.moveTo(this.present());
  }

  private present(): Position {
    return { token: this.stream.position ?? null, at: Date.now() };
  }

  private use(state: IndexState): void {
    this.scan = state.scan;
    // A new index has no position to continue from.
    if (!state.isReady && state.scan === null) this.gap ??= this.present();
  }

  /** Invalidates responses that were computed from the earlier index. */
  private async invalidateResponses(changed: number): Promise<void> {
    if (changed === 0) return;
    this.cache.invalidateOnHost([SEARCH_TAG]);
    if (this.engine.isShared) await this.events.publishNow(CACHE_INVALIDATED, [SEARCH_TAG]);
  }

  private async publishState(): Promise<void> {
    this.loggedAt = performance.now();
    const { isReady, documents, position, scan } = await this.writer.state();
    observeDocuments(documents);
    for (const [id, reason] of await this.writer.takeUnreadable()) skipRow(SEARCH_POSTS, id, reason);
    const lagMs = position === null ? null : Math.max(0, Date.now() - position.at);
    this.state = { isReady, documents, lagMs, ...(scan === null ? {} : { scanned: scan.done }) };
    this.bus.publish(STATE, this.state);
  }
}
