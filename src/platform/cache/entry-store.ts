import { LRUCache } from 'lru-cache';
import { BoundedSet } from '../../common/bounded.js';
import { TRUST_MS } from '../events/event.schema.js';
import type { CacheEntry } from './cache-entry.js';

/** The maximum number of aliases (non-canonical URLs) per entry. `CacheEntry.bytes` includes their memory. */
const MAX_ALIASES = 8;
const MAX_ALIAS_LENGTH = 250;
/** Only structures limited by bytes store longer keys. */
export const MAX_UNCOUNTED_LENGTH = 500;

/** An LRU cache of responses of at most `maxBytes`, with lookups by key, raw URL and tag. Stores no response above `maxBytes / 10`. */
export class EntryStore {
  private readonly byKey: LRUCache<string, CacheEntry>;
  private readonly byTag = new Map<string, Set<CacheEntry>>();
  /** entries by URL and alias */
  private readonly byUrl = new Map<string, CacheEntry>();
  /** keys of `storeOnSecondUse` responses that were computed once */
  private readonly computedOnce = new BoundedSet<string>(20_000);
  /** stored entries are valid until this time (see TrustHolder) */
  trustedUntil = Infinity;
  reportUseAfter = Infinity;
  reportUse: (now: number) => void = () => {};

  constructor(maxBytes: number) {
    this.byKey = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes / 10),
      sizeCalculation: (entry) => entry.bytes,
      dispose: (entry) => this.detach(entry),
    });
  }

  get size(): number {
    return this.byKey.size;
  }

  get bytes(): number {
    return this.byKey.calculatedSize;
  }

  get(key: string): CacheEntry | undefined {
    return this.byKey.get(key);
  }

  /** Whether data read at `readAt` may be served: this process has received all later invalidations, or the data is younger than 1.5 s. */
  trusts(readAt: number, now = performance.now()): boolean {
    if (now > this.reportUseAfter) this.reportUse(now);
    return now < this.trustedUntil || now < readAt + TRUST_MS;
  }

  /** Finds an entry by raw URL. Only `use` marks the entry as used. */
  getByUrl(rawUrl: string): CacheEntry | undefined {
    return this.byUrl.get(rawUrl);
  }

  use(entry: CacheEntry): void {
    this.byKey.get(entry.key);
  }

  /** Stores a response under its key, or updates the size of a stored entry whose bodies have changed. */
  set(entry: CacheEntry): void {
    const { key } = entry;
    const previous = this.byKey.peek(key);
    if (entry.storeOnSecondUse && previous === undefined && !this.computedOnce.delete(key)) {
      if (key.length <= MAX_UNCOUNTED_LENGTH) this.computedOnce.add(key);
      return;
    }
    this.byKey.delete(key);
    this.byKey.set(key, entry);
    if (!this.byKey.has(key)) return;
    entry.isStored = true;
    entry.aliases = previous?.aliases ?? [];
    for (const url of [...entry.aliases, ...entry.urls]) this.byUrl.set(url, entry);
    for (const tag of entry.tags) {
      const tagged = this.byTag.get(tag);
      if (tagged) tagged.add(entry);
      else this.byTag.set(tag, new Set([entry]));
    }
  }

  /** Adds an alias. Replaces the oldest alias if there are MAX_ALIASES. */
  addAlias(rawUrl: string, entry: CacheEntry): void {
    if (!entry.isStored || rawUrl.length > MAX_ALIAS_LENGTH || this.byUrl.has(rawUrl)) return;
    if (entry.aliases.length === MAX_ALIASES) this.removeUrl(entry.aliases.shift()!, entry);
    entry.aliases.push(rawUrl);
    this.byUrl.set(rawUrl, entry);
  }

  delete(key: string): void {
    this.byKey.delete(key);
  }

  deleteTag(tag: string): void {
    for (const { key } of this.byTag.get(tag) ?? []) this.byKey.delete(key);
  }

  clear(): void {
    this.byKey.clear();
    this.computedOnce.clear();
  }

  private detach(entry: CacheEntry): void {
    entry.isStored = false;
    for (const url of [...entry.aliases, ...entry.urls]) this.removeUrl(url, entry);
    for (const tag of entry.tags) {
      const tagged = this.byTag.get(tag);
      tagged?.delete(entry);
      if (tagged?.size === 0) this.byTag.delete(tag);
    }
  }

  private removeUrl(url: string, entry: CacheEntry): void {
    if (this.byUrl.get(url) === entry) this.byUrl.delete(url);
  }
}
