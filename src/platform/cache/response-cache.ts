import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ClientSession } from 'mongodb';
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
  /** something was invalidated since it began: its response may be outdated for later callers */
  isDoubtful: boolean;
};

/** A computation that takes longer counts as failed if an older response may be served; it continues for later requests. */
const PATIENCE_MS = 1_000;

type Channel = Pick<InvalidationChannel, 'publish' | 'publishOnCommit' | 'subscribe'>;

/**
 * Cached responses by canonical key: single flight, stale-while-revalidate, stale-if-error. A response computed before an invalidation
 * is never stored after it, and a stored one is served only while this process receives invalidations (EventStream.onTrust).
 */
export class ResponseCache {
  private readonly logger = new Logger('ResponseCache');
  private readonly flights = new Map<string, Flight>();
  private readonly log = new InvalidationLog();
  /** 404 by key, so that requests for missing resources cost no query each time; any invalidation clears them all */
  private readonly negatives: LRUCache<string, CodedError> | undefined;
  private channel: Channel | undefined;
  readonly counts: Record<CacheState | 'NEGATIVE' | 'invalidations' | 'joined' | 'discarded' | 'takenOver', number> = {
    NEGATIVE: 0,
    HIT: 0,
    STALE: 0,
    MISS: 0,
    ERROR: 0,
    invalidations: 0,
    joined: 0,
    discarded: 0,
    takenOver: 0,
  };

  /** @param secondLevel the cache that the processes of all hosts share */
  constructor(
    readonly store: EntryStore,
    negativeTtlMs = 1_500,
    private readonly secondLevel?: SecondLevelCache,
  ) {
    // in lru-cache 0 means no expiry
    if (negativeTtlMs > 0) this.negatives = new LRUCache({ max: 10_000, ttl: negativeTtlMs, ttlResolution: 0 });
  }

  connect(channel: Channel): void {
    this.channel = channel;
    channel.subscribe((tags) => this.drop(tags));
  }

  /**
   * Removes every response with one of the tags: here with the commit of this transaction, and in every other process of every host when it
   * receives them, or 1.5 s later.
   */
  async invalidate(tags: string[], session: ClientSession): Promise<void> {
    await this.channel!.publishOnCommit(tags, session, () => this.drop(tags));
  }

  /** Invalidates in the processes of this host alone, for data that each host computes for itself. */
  invalidateOnHost(tags: string[]): void {
    this.drop(tags);
    this.channel?.publish(tags);
  }

  /**
   * The response for a key, from memory or computed once for all callers.
   * @throws the error of `load`, when no response is young enough to serve instead
   */
  async fetch(key: string, load: () => Promise<CacheEntry>): Promise<CachedResponse> {
    const held = this.store.get(key);
    const now = performance.now();
    const isTrusted = held !== undefined && this.store.trusts(held.readAt, now);
    if (isTrusted && now < held.freshUntil) return this.count('HIT', held);
    if (isTrusted && now < held.staleUntil) {
      this.fly(key, load).promise.catch((error: unknown) =>
        this.logger.warn(`refreshing ${key} failed: ${String(error)}`),
      );
      return this.count('STALE', held);
    }
    const negative = this.negatives?.get(key);
    if (negative !== undefined) {
      this.counts.NEGATIVE++;
      throw negative;
    }
    const mayServeStale = (): boolean => held !== undefined && held.isStored && performance.now() < held.errorUntil;
    const flight = this.fly(key, load);
    try {
      const leftMs = flight.startedAt + PATIENCE_MS - performance.now();
      const entry = await (mayServeStale() ? within(leftMs, flight.promise) : flight.promise);
      if (entry !== undefined) return this.count(entry.isFromL2 ? 'HIT' : 'MISS', entry);
      if (mayServeStale()) return this.count('ERROR', held!);
      return this.count('MISS', await flight.promise);
    } catch (error) {
      if (mayServeStale() && isServerFault(error)) return this.count('ERROR', held!);
      throw error;
    }
  }

  /** Whether the key is being computed. */
  isLoading(key: string): boolean {
    return this.flights.has(key);
  }

  private fly(key: string, load: () => Promise<CacheEntry>): Flight {
    const running = this.flights.get(key);
    if (running === undefined) return this.start(key, load);
    this.counts.joined++;
    return this.isCurrent(running) ? running : { ...running, promise: this.joinDoubtful(key, running, load) };
  }

  private isCurrent({ isDoubtful, startedAt }: Flight): boolean {
    return !isDoubtful && this.store.trusts(startedAt);
  }

  private start(key: string, load: () => Promise<CacheEntry>): Flight {
    const promise = this.load(key, load).finally(() => {
      if (this.flights.get(key) === flight) this.flights.delete(key);
    });
    const flight: Flight = { promise, startedAt: performance.now(), isDoubtful: false };
    this.flights.set(key, flight);
    return flight;
  }

  /** Computes the response again only if one of its own tags was invalidated, which is rare. */
  private async joinDoubtful(key: string, running: Flight, load: () => Promise<CacheEntry>): Promise<CacheEntry> {
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
      if (isGone(error)) this.store.delete(key);
      if (this.log.isUntouchedSince(stamp)) this.rememberNegative(key, error);
      throw error;
    }
    entry.readAt = Math.min(entry.readAt, startedAt);
    if (!this.log.end(stamp, entry.tags)) {
      this.counts.discarded++;
    } else if (entry.policy.freshMs > 0) {
      this.store.set(entry);
      if (entry.isFromL2) this.counts.takenOver++;
      else if (shared !== undefined) void this.secondLevel!.write(shared.sequence, entry);
    }
    return entry;
  }

  /** Stores only a 404, because other errors are not facts about the key. */
  private rememberNegative(key: string, error: unknown): void {
    if (error instanceof CodedError && error.status === 404 && key.length <= MAX_UNCOUNTED_LENGTH)
      this.negatives?.set(key, error);
  }

  /** Invalidates in this process alone; null drops all. */
  drop(tags: string[] | null): void {
    this.counts.invalidations++;
    this.log.invalidate(tags);
    this.secondLevel?.invalidate(tags);
    this.negatives?.clear();
    if (tags === null) this.store.clear();
    else for (const tag of tags) this.store.deleteTag(tag);
    for (const flight of this.flights.values()) flight.isDoubtful = true;
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

/** Whether the resource does not exist; other errors concern the request. */
function isGone(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || status === 410;
}

function statusOf(error: unknown): unknown {
  return (error as { status?: unknown }).status;
}
