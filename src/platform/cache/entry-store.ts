import type { CacheEntry } from './cache-entry.js';

const SMALL_SHARE = 0.1;
const MAX_FREQUENCY = 3;
/** Spellings that the listener knows of an entry beside its own addresses: the most recent ones. */
const MAX_ALIASES_PER_ENTRY = 8;
const MAX_ALIASES = 50_000;
/** Aliases are not counted as bytes of an entry, so long ones are left to the framework. */
const MAX_ALIAS_LENGTH = 500;

/**
 * Entries bounded by bytes, evicted by S3-FIFO: newcomers pass through a small queue (a tenth of the bytes) and reach the main
 * queue only when they were used there or come back soon after leaving, so a scan of a million distinct URLs flows through the
 * small queue and leaves the hot set alone. A hit costs one increment: nothing is reordered.
 * Source: Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.
 */
export class EntryStore {
  private readonly small = new Map<string, CacheEntry>();
  private readonly main = new Map<string, CacheEntry>();
  private readonly ghost = new Set<string>();
  private readonly byTag = new Map<string, Set<CacheEntry>>();
  /** what the listener looks into: the addresses of every entry, and other spellings that clients used */
  private readonly byUrl = new Map<string, CacheEntry>();
  /** those other spellings, oldest first */
  private readonly aliases = new Set<string>();
  private smallBytes = 0;
  private mainBytes = 0;
  private reserved = 0;
  evictions = 0;

  constructor(private readonly maxBytes: number) {}

  get size(): number {
    return this.small.size + this.main.size;
  }

  get bytes(): number {
    return this.smallBytes + this.mainBytes;
  }

  get aliasCount(): number {
    return this.aliases.size;
  }

  get(key: string): CacheEntry | undefined {
    const entry = this.peek(key);
    if (entry !== undefined) this.use(entry);
    return entry;
  }

  /** Synchronous look-up by the URL exactly as a client wrote it: the listener's only question. */
  getByUrl(rawUrl: string): CacheEntry | undefined {
    return this.byUrl.get(rawUrl);
  }

  use(entry: CacheEntry): void {
    if (entry.frequency < MAX_FREQUENCY) entry.frequency++;
  }

  set(entry: CacheEntry): void {
    const previous = this.peek(entry.key);
    const wasMain = this.main.has(entry.key);
    const aliases = previous?.aliases.slice() ?? [];
    if (previous !== undefined) this.delete(entry.key);
    if (entry.bytes > this.maxBytes * SMALL_SHARE) return; // one giant may not push out everybody
    if (entry.isRare && !wasMain && !this.ghost.has(entry.key)) {
      entry.isLive = false;
      this.remember(entry.key);
      return;
    }
    if (wasMain || this.ghost.delete(entry.key)) {
      this.main.set(entry.key, entry);
      this.mainBytes += entry.bytes;
    } else {
      this.small.set(entry.key, entry);
      this.smallBytes += entry.bytes;
    }
    for (const tag of entry.tags) {
      const tagged = this.byTag.get(tag);
      if (tagged) tagged.add(entry);
      else this.byTag.set(tag, new Set([entry]));
    }
    for (const address of entry.addresses) this.byUrl.set(address, entry);
    for (const alias of aliases) this.addAlias(alias, entry);
    this.evict();
  }

  /** Counts bytes an entry gained after it was stored (an encoded variant). */
  grow(entry: CacheEntry, bytes: number): void {
    if (!entry.isLive) return;
    if (this.main.has(entry.key)) this.mainBytes += bytes;
    else this.smallBytes += bytes;
    this.evict();
  }

  /** Lets the listener answer another spelling too; it takes the place of the oldest such one, never of the entry's own addresses. */
  addAlias(rawUrl: string, entry: CacheEntry): void {
    // an alias must not keep alive what the store does not hold (and does not count)
    if (this.peek(entry.key) !== entry) return;
    if (rawUrl.length > MAX_ALIAS_LENGTH || this.byUrl.has(rawUrl)) return;
    if (entry.aliases.length >= MAX_ALIASES_PER_ENTRY) this.dropAlias(entry.aliases[0]!);
    if (this.aliases.size >= MAX_ALIASES) this.dropAlias(this.aliases.values().next().value!);
    this.byUrl.set(rawUrl, entry);
    this.aliases.add(rawUrl);
    entry.aliases.push(rawUrl);
  }

  private dropAlias(rawUrl: string): void {
    const { aliases } = this.byUrl.get(rawUrl)!;
    aliases.splice(aliases.indexOf(rawUrl), 1);
    this.aliases.delete(rawUrl);
    this.byUrl.delete(rawUrl);
  }

  delete(key: string): boolean {
    const entry = this.peek(key);
    if (entry === undefined) return false;
    if (this.small.delete(key)) this.smallBytes -= entry.bytes;
    else {
      this.main.delete(key);
      this.mainBytes -= entry.bytes;
    }
    this.detach(entry);
    return true;
  }

  /** Removes every entry that carries the tag; returns how many. */
  deleteTag(tag: string): number {
    const tagged = this.byTag.get(tag);
    if (tagged === undefined) return 0;
    const keys = [...tagged].map((entry) => entry.key);
    for (const key of keys) this.delete(key);
    return keys.length;
  }

  clear(): void {
    for (const entry of [...this.small.values(), ...this.main.values()]) this.delete(entry.key);
    this.ghost.clear();
  }

  /** Leaves so many of its bytes to another cache of this process. */
  reserve(bytes: number): void {
    this.reserved = bytes;
    this.evict();
  }

  private peek(key: string): CacheEntry | undefined {
    return this.small.get(key) ?? this.main.get(key);
  }

  private detach(entry: CacheEntry): void {
    entry.isLive = false;
    for (const address of entry.addresses) this.byUrl.delete(address);
    for (const alias of entry.aliases) {
      this.byUrl.delete(alias);
      this.aliases.delete(alias);
    }
    for (const tag of entry.tags) {
      const tagged = this.byTag.get(tag);
      tagged?.delete(entry);
      if (tagged?.size === 0) this.byTag.delete(tag);
    }
  }

  private evict(): void {
    while (this.bytes > this.maxBytes - this.reserved) {
      if (this.smallBytes > this.maxBytes * SMALL_SHARE || this.main.size === 0) this.evictSmall();
      else this.evictMain();
    }
  }

  private evictSmall(): void {
    const [key, entry] = this.small.entries().next().value as [string, CacheEntry];
    if (entry.frequency > 0) {
      this.small.delete(key);
      this.smallBytes -= entry.bytes;
      entry.frequency = 0;
      this.main.set(key, entry);
      this.mainBytes += entry.bytes;
      return;
    }
    this.delete(key);
    this.evictions++;
    this.remember(key);
  }

  private remember(key: string): void {
    this.ghost.add(key);
    // as many memories as there are entries, and never a large set
    if (this.ghost.size > Math.min(100_000, Math.max(10_000, this.main.size)))
      this.ghost.delete(this.ghost.keys().next().value as string);
  }

  private evictMain(): void {
    const [key, entry] = this.main.entries().next().value as [string, CacheEntry];
    if (entry.frequency > 0) {
      entry.frequency--;
      this.main.delete(key);
      this.main.set(key, entry);
      return;
    }
    this.delete(key);
    this.evictions++;
  }
}
