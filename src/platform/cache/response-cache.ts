import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CodedError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import type { CacheStatus, CacheEntry } from './cache-entry.js';
import { type EntryStore, MAX_UNCOUNTED_LENGTH } from './entry-store.js';
import { InvalidationLog } from './invalidation.js';
import type { InvalidationChannel } from './invalidation-channel.js';
import type { SecondLevelCache, Shared } from './second-level-cache.js';

type CacheState = Exclude<CacheStatus, 'BYPASS'>;

export type CachedResponse = { entry: CacheEntry; state: CacheState };

type Flight = {
  promise: Promise<CacheEntry>;
  startedAt: number;
  /** whether an invalidation has occurred since the start, so that the response may be stale for later callers */
  mayBeStale: boolean;
};

/** If a stale response may be served, a longer computation counts as failed. The computation continues for later requests. */
const REVALIDATION_TIMEOUT_MS = 1_000;

type Channel = Pick<InvalidationChannel, 'publish' | 'subscribe'>;

/**
 * A cache of responses by canonical key, with single flight, stale-while-revalidate and stale-if-error. Stores no response computed
 * before an invalidation, and serves entries only while this process receives invalidations (StreamTrust).
 */
export class ResponseCache {
  private readonly logger = new Logger('ResponseCache');
  private readonly flights = new Map<string, Flight>();
  private readonly log = new InvalidationLog();
  /** 404 errors by key, so that repeated requests for missing resources cost no query. Any invalidation clears all of them. */
  private readonly negatives: LRUCache<string, CodedError> | undefined;
  private channel: Channel | undefined;
  readonly counts: Record<
    CacheState | 'NEGATIVE' | 'invalidations' | 'joined' | 'discarded' | 'fromSecondLevel',
    number
  > = {
    NEGATIVE: 0,
    HIT: 0,
    STALE: 0,
    MISS: 0,
    ERROR: 0,
    invalidations: 0,
    joined: 0,
    discarded: 0,
    fromSecondLevel: 0,
  };

  /** @param secondLevel the cache that all hosts share */
  constructor(
    readonly store: EntryStore,
    negativeTtlMs = 1_500,
    private readonly secondLevel?: SecondLevelCache,
  ) {
    // lru-cache treats a TTL of 0 as no expiry.
    if (negativeTtlMs > 0) this.negatives = new LRUCache({ max: 10_000, ttl: negativeTtlMs, ttlResolution: 0 });
  }

  connect(channel: Channel): void {
    this.channel = channel;
    channel.subscribe((tags) => this.invalidateLocally(tags));
  }

  /** Invalidates only on this host, for data that each host computes itself. */
  invalidateOnHost(tags: string[]): void {
    this.invalidateLocally(tags);
    this.channel?.publish(tags);
  }

  /**
   * Returns the stored response of a key, or computes it once for all concurrent callers.
   * @throws the error of `load` if there is no stale response to serve
   */
  async fetch(key: string, load: () => Promise<CacheEntry>): Promise<CachedResponse> {
    const stored = this.store.get(key);
    const now = performance.now();
    const isTrusted = stored !== undefined && this.store.trusts(stored.readAt, now);
    if (isTrusted && now < stored.freshUntil) return this.count('HIT', stored);
    if (isTrusted && now < stored.staleUntil) {
      this.computeOnce(key, load).promise.catch((error: unknown) =>
        this.logger.warn(`refreshing ${key} failed: ${String(error)}`),
      );
      return this.count('STALE', stored);
    }
    const negative = this.negatives?.get(key);
    if (negative !== undefined) {
      this.counts.NEGATIVE++;
      throw negative;
    }
    const mayServeStale = (): boolean =>
      stored !== undefined && stored.isStored && performance.now() < stored.errorUntil;
    const flight = this.computeOnce(key, load);
    try {
      const leftMs = flight.startedAt + REVALIDATION_TIMEOUT_MS - performance.now();
      const entry = await (mayServeStale() ? within(leftMs, flight.promise) : flight.promise);
      if (entry !== undefined) return this.count(entry.isFromL2 ? 'HIT' : 'MISS', entry);
      if (mayServeStale()) return this.count('ERROR', stored!);
      return this.count('MISS', await flight.promise);
    } catch (error) {
      if (mayServeStale() && isServerFault(error)) return this.count('ERROR', stored!);
      throw error;
    }
  }

  /** Returns the stored response of a key if it may be served as fresh. */
  findFresh(key: string): CacheEntry | undefined {
    const stored = this.store.get(key);
    const now = performance.now();
    return stored !== undefined && now < stored.freshUntil && this.store.trusts(stored.readAt, now)
      ? stored
      : undefined;
  }

  /** Whether a computation for the key is running. */
  isLoading(key: string): boolean {
    return this.flights.has(key);
  }

  private computeOnce(key: string, load: () => Promise<CacheEntry>): Flight {
    const running = this.flights.get(key);
    if (running === undefined) return this.start(key, load);
    this.counts.joined++;
    return this.isCurrent(running) ? running : { ...running, promise: this.joinPossiblyStale(key, running, load) };
  }

  private isCurrent({ mayBeStale, startedAt }: Flight): boolean {
    return !mayBeStale && this.store.trusts(startedAt);
  }

  private start(key: string, load: () => Promise<CacheEntry>): Flight {
    const promise = this.load(key, load).finally(() => {
      if (this.flights.get(key) === flight) this.flights.delete(key);
    });
    const flight: Flight = { promise, startedAt: performance.now(), mayBeStale: false };
    this.flights.set(key, flight);
    return flight;
  }

  /**
   * Waits for a running computation that an invalidation may have made stale. Computes again only if the computation's own tags were
   * invalidated, which is rare.
   */
  private async joinPossiblyStale(key: string, running: Flight, load: () => Promise<CacheEntry>): Promise<CacheEntry> {
    const [outcome] = await Promise.allSettled([running.promise]);
    if (outcome.status === 'fulfilled' && outcome.value.isStored && this.store.trusts(outcome.value.readAt))
      return outcome.value;
    const next = this.flights.get(key);
    return (next !== undefined && this.isCurrent(next) ? next : this.start(key, load)).promise;
  }

  private async load(key: string, load: () => Promise<CacheEntry>): Promise<CacheEntry> {
    const stamp = this.log.begin();
    const startedAt = performance.now();
    let shared: Shared | undefined;
    let entry: CacheEntry;
    try {
      shared = await this.secondLevel?.read(key);
      const ready = shared?.entry;
      entry = ready !== undefined && this.store.trusts(ready.readAt) ? ready : await load();
    } catch (error) {
      this.log.end(stamp, []);
      if (isNotFound(error)) this.store.delete(key);
      if (this.log.isUntouchedSince(stamp)) this.rememberNegative(key, error);
      throw error;
    }
    entry.readAt = Math.min(entry.readAt, startedAt);
    if (!this.log.end(stamp, entry.tags)) {
      this.counts.discarded++;
    } else if (entry.policy.freshMs > 0) {
      this.store.set(entry);
      if (entry.isFromL2) this.counts.fromSecondLevel++;
      else if (shared !== undefined) void this.secondLevel!.write(shared.sequence, entry);
    }
    return entry;
  }

  /** Stores only 404 errors, because other errors may be temporary. */
  private rememberNegative(key: string, error: unknown): void {
    if (error instanceof CodedError && error.status === 404 && key.length <= MAX_UNCOUNTED_LENGTH)
      this.negatives?.set(key, error);
  }

  /** Invalidates in this process only. @param tags null invalidates everything */
  invalidateLocally(tags: string[] | null): void {
    this.counts.invalidations++;
    this.log.invalidate(tags);
    this.secondLevel?.invalidate(tags);
    // Clearing costs a pass over all 10,000 places, even of an empty map.
    if (this.negatives?.size) this.negatives.clear();
    if (tags === null) this.store.clear();
    else for (const tag of tags) this.store.deleteTag(tag);
    for (const flight of this.flights.values()) flight.mayBeStale = true;
  }

  private count(state: CacheState, entry: CacheEntry): CachedResponse {
    this.counts[state]++;
    return { entry, state };
  }
}

function isServerFault(error: unknown): boolean {
  const status = statusOf(error);
  return typeof status !== 'number' || status >= 500;
}

/** Whether the error means that the resource does not exist. Other errors do not prove its absence. */
function isNotFound(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || status === 410;
}

function statusOf(error: unknown): unknown {
  return (error as { status?: unknown }).status;
}
