/** The state of a bucket after a request took from it. */
export type Allowance = {
  isAllowed: boolean;
  remaining: number;
  /** seconds until the bucket is full again */
  resetSeconds: number;
  /** seconds until one more request fits; 0 when it was allowed */
  retryAfterSeconds: number;
};

type Bucket = {
  tokens: number;
  at: number;
  /** tokens taken here since the last flush */
  unsynced: number;
};

/** The number of buckets to compare for an eviction; more only if all of them are at their limit. */
const EVICTION_SAMPLE = 16;
const MAX_EVICTION_SAMPLE = 1_000;

/** Token buckets by key, refilled continuously. Full buckets need no storage, which bounds the memory to the keys of the last window. */
export class RateLimitBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private readonly perMs: number;
  private readonly due = new Map<string, Bucket>();

  /** @param syncThreshold the number of taken tokens from which a key is due for a flush */
  constructor(
    readonly limit: number,
    windowMs: number,
    private readonly syncThreshold = 1,
    private readonly maxKeys = 100_000,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.perMs = limit / windowMs;
  }

  get size(): number {
    return this.buckets.size;
  }

  get isDue(): boolean {
    return this.due.size > 0;
  }

  take(key: string): Allowance {
    const bucket = this.refilled(key);
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) this.spend(key, bucket, 1);
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      resetSeconds: Math.ceil((this.limit - bucket.tokens) / this.perMs / 1_000),
      retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / this.perMs / 1_000)),
    };
  }

  /** Takes tokens, possibly more than the bucket has, unless it has a debt. Returns the seconds to wait in that case, or 0. */
  charge(key: string, count: number): number {
    const bucket = this.refilled(key);
    if (bucket.tokens < 0) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.perMs / 1_000));
    this.spend(key, bucket, count);
    return 0;
  }

  /** Refunds an unused token. */
  refund(key: string): void {
    const bucket = this.refilled(key);
    bucket.tokens = Math.min(this.limit, bucket.tokens + 1);
    bucket.unsynced -= 1;
    this.due.set(key, bucket);
  }

  /** Subtracts the requests at other processes. The debt of a bucket is at most its size. */
  subtract(key: string, count: number): void {
    const bucket = this.refilled(key);
    bucket.tokens = Math.max(-this.limit, bucket.tokens - count);
  }

  /** Returns the time in which this number of requests is refilled. */
  refillMs(count: number): number {
    return count / this.perMs;
  }

  /** Returns the milliseconds until the bucket is full again, from the requests known to this process. */
  deficitMs(key: string): number {
    return this.refillMs(this.limit - this.refilled(key).tokens);
  }

  /** Sets the state that all hosts share, which includes requests at other processes. */
  settle(key: string, deficitMs: number): void {
    const bucket = this.refilled(key);
    const tokens = this.limit - deficitMs * this.perMs - bucket.unsynced;
    bucket.tokens = Math.max(-this.limit, Math.min(bucket.tokens, tokens));
  }

  /** Returns the counts of due keys, for the other processes. */
  flush(): [key: string, count: number][] {
    const taken = [...this.due].map(([key, bucket]): [string, number] => [key, bucket.unsynced]);
    for (const bucket of this.due.values()) bucket.unsynced = 0;
    this.due.clear();
    return taken;
  }

  /** Deletes full buckets. */
  sweep(): void {
    const now = this.now();
    for (const [key, { tokens, at }] of this.buckets)
      if (tokens + (now - at) * this.perMs >= this.limit) this.buckets.delete(key);
  }

  /** Evicts the fullest of the oldest buckets: an empty bucket limits a client, and many new keys must not evict it. */
  private evictFullest(now: number): void {
    const sampled: [key: string, bucket: Bucket][] = [];
    let fullest = '';
    let most = -Infinity;
    for (const [key, bucket] of this.buckets) {
      const tokens = bucket.tokens + (now - bucket.at) * this.perMs;
      sampled.push([key, bucket]);
      if (tokens > most) [fullest, most] = [key, tokens];
      if (
        most >= this.limit ||
        (sampled.length >= EVICTION_SAMPLE && most >= 1) ||
        sampled.length >= MAX_EVICTION_SAMPLE
      )
        break;
    }
    // Moves the sampled buckets behind the others, so that the next eviction compares the others.
    for (const [key, bucket] of sampled) {
      this.buckets.delete(key);
      if (key !== fullest) this.buckets.set(key, bucket);
    }
  }

  private spend(key: string, bucket: Bucket, count: number): void {
    bucket.tokens = Math.max(-this.limit, bucket.tokens - count);
    bucket.unsynced += count;
    // Near the limit each request is sent immediately, because other processes also take from the bucket.
    if (bucket.unsynced >= this.syncThreshold || bucket.tokens < 2 * this.syncThreshold) this.due.set(key, bucket);
  }

  private refilled(key: string): Bucket {
    const now = this.now();
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      if (this.buckets.size >= this.maxKeys) this.evictFullest(now);
      bucket = { tokens: this.limit, at: now, unsynced: 0 };
      this.buckets.set(key, bucket);
      return bucket;
    }
    bucket.tokens = Math.min(this.limit, bucket.tokens + (now - bucket.at) * this.perMs);
    bucket.at = now;
    return bucket;
  }
}
