import { Oldest } from '../../common/bounded.js';
import type { CacheEntry } from './cache-entry.js';

const SMALL_SHARE = 0.1;
const MAX_FREQUENCY = 3;
/** Spellings that the listener knows of an entry beside its own addresses: the most recent ones. */
const MAX_ALIASES_PER_ENTRY = 8;
const MAX_ALIASES = 50_000;
/** Aliases, keys of evicted entries and those of what is not there are not counted as bytes, so long ones are not kept. */
export const MAX_UNCOUNTED_LENGTH = 500;

/**
 * Entries bounded by bytes, evicted by S3-FIFO (Yang et al., SOSP 2023): newcomers pass through a small queue and reach the main one
 * only when used there or asked for again soon after, so a scan of a million URLs leaves the hot set alone. A hit costs one increment.
 */
export class EntryStore {
  private readonly small = new Queue();
  private readonly main = new Queue();
  private readonly ghost = new Set<string>();
  private readonly oldestGhosts = new Oldest<string>(
    () => this.ghost,
    (key) => this.ghost.has(key),
  );
  private readonly byTag = new Map<string, Set<CacheEntry>>();
  /** what the listener looks into: the addresses of every entry, and other spellings that clients used */
  private readonly byUrl = new Map<string, CacheEntry>();
  /** those other spellings, oldest first */
  private readonly aliases = new Set<string>();
  private readonly oldestAliases = new Oldest<string>(
    () => this.aliases,
    (alias) => this.aliases.has(alias),
  );

  constructor(private readonly maxBytes: number) {}

  get size(): number {
    return this.small.size + this.main.size;
  }

  get bytes(): number {
    return this.small.bytes + this.main.bytes;
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
    // one giant may not push out all others
    const isGiant = entry.bytes > this.maxBytes * SMALL_SHARE;
    if (isGiant || (entry.isRare && !wasMain && !this.ghost.has(entry.key))) {
      // what it gains later is not counted
      entry.isLive = false;
      if (!isGiant) this.remember(entry.key);
      return;
    }
    (wasMain || this.ghost.delete(entry.key) ? this.main : this.small).add(entry);
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
    (this.main.has(entry.key) ? this.main : this.small).bytes += bytes;
    this.evict();
  }

  /** Lets the listener answer another spelling too; it takes the place of the oldest such one, never of the entry's own addresses. */
  addAlias(rawUrl: string, entry: CacheEntry): void {
    // an alias must not keep alive what the store does not hold (and does not count)
    if (this.peek(entry.key) !== entry) return;
    if (rawUrl.length > MAX_UNCOUNTED_LENGTH || this.byUrl.has(rawUrl)) return;
    if (entry.aliases.length >= MAX_ALIASES_PER_ENTRY) this.dropAlias(entry.aliases[0]!);
    if (this.aliases.size >= MAX_ALIASES) this.dropAlias(this.oldestAliases.take()!);
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
    (this.main.has(key) ? this.main : this.small).remove(entry);
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

  /** Entries stored before then are given only when computing fails. */
  expireBefore(storedAt: number): void {
    const now = performance.now();
    for (const queue of [this.small, this.main])
      for (const entry of queue.values()) if (entry.storedAt < storedAt) entry.expire(now);
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
    while (this.bytes > this.maxBytes) {
      if (this.small.bytes > this.maxBytes * SMALL_SHARE || this.main.size === 0) this.evictSmall();
      else this.evictMain();
    }
  }

  private evictSmall(): void {
    const entry = this.small.takeOldest();
    if (entry.frequency > 0) {
      this.small.remove(entry);
      entry.frequency = 0;
      this.main.add(entry);
      return;
    }
    this.delete(entry.key);
    this.remember(entry.key);
  }

  private remember(key: string): void {
    if (key.length > MAX_UNCOUNTED_LENGTH) return;
    this.ghost.add(key);
    // as many memories as there are entries, and never a large set
    if (this.ghost.size > Math.min(100_000, Math.max(10_000, this.main.size)))
      this.ghost.delete(this.oldestGhosts.take()!);
  }

  private evictMain(): void {
    const entry = this.main.takeOldest();
    if (entry.frequency === 0) {
      this.delete(entry.key);
      return;
    }
    entry.frequency--;
    this.main.remove(entry);
    this.main.add(entry);
  }
}

/** Entries by key, oldest first, and their bytes. */
class Queue extends Map<string, CacheEntry> {
  bytes = 0;

  /** by key: entries would keep bodies in memory that the store no longer counts */
  private readonly oldestKeys = new Oldest<string>(
    () => this.keys(),
    (key) => this.has(key),
  );

  /** For a caller that moves or deletes it: each comes once. */
  takeOldest(): CacheEntry {
    return this.get(this.oldestKeys.take()!)!;
  }

  add(entry: CacheEntry): void {
    this.set(entry.key, entry);
    this.bytes += entry.bytes;
  }

  remove(entry: CacheEntry): void {
    this.delete(entry.key);
    this.bytes -= entry.bytes;
  }
}
