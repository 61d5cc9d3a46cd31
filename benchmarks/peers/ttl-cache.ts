/**
 * In-memory cache of the Express case: a Map with a lifetime per entry, evicted lazily and by a timer. As published, it has no bound and
 * no single flight, and stores objects instead of bytes.
 */
export class TtlCache {
  private readonly entries = new Map<string, { value: unknown; expiresAt: number }>();
  private readonly timer = setInterval(() => this.evictExpired(), 60_000).unref();

  async getOrLoad<T>(key: string, ttlMs: number, load: () => Promise<T>): Promise<T> {
    const entry = this.entries.get(key);
    if (entry && entry.expiresAt > Date.now()) return entry.value as T;
    const value = await load();
    this.entries.set(key, { value, expiresAt: Date.now() + ttlMs });
    return value;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private evictExpired(): void {
    const now = Date.now();
    for (const [key, entry] of this.entries) if (entry.expiresAt <= now) this.entries.delete(key);
  }
}
