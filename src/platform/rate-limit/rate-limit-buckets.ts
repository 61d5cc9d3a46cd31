/** What is left in a bucket after taking from it. */
export type Taken = {
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
  /** taken here since the other processes were last told */
  untold: number;
  /** among those to tell of */
  isDue: boolean;
};

/** Buckets that are looked at to find one that may go; more only while every one of them is at its limit. */
const LOOKS = 16;
const MOST_LOOKS = 1_000;

/**
 * Token buckets by key: `limit` per window, refilled steadily, so a quiet client may use a window's worth at once. A full bucket
 * is the same as none, which bounds the memory to the keys of the last window.
 */
export class RateLimitBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private readonly perMs: number;
  private due: [key: string, bucket: Bucket][] = [];

  /**
   * @param portion the others are told of a key when this many were taken: the count is in the bucket, so it costs no look-up
   * @param now milliseconds of any clock that only goes forward
   */
  constructor(
    readonly limit: number,
    windowMs: number,
    private readonly portion = 1,
    private readonly maxKeys = 100_000,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.perMs = limit / windowMs;
  }

  get size(): number {
    return this.buckets.size;
  }

  /** Whether a portion is full somewhere. */
  get isDue(): boolean {
    return this.due.length > 0;
  }

  take(key: string): Taken {
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

  /**
   * Takes more for what was let in and turns out dear: allowed while nothing is owed, and what the bucket does not hold is owed then.
   * Returns the seconds to wait where it is not allowed, otherwise 0.
   */
  charge(key: string, count: number): number {
    const bucket = this.refilled(key);
    if (bucket.tokens < 0) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.perMs / 1_000));
    this.spend(key, bucket, count);
    return 0;
  }

  /** What other processes took. A bucket may go below empty by as much as they took at the same time, never by more than its size. */
  subtract(key: string, count: number): void {
    const bucket = this.refilled(key);
    bucket.tokens = Math.max(-this.limit, bucket.tokens - count);
  }

  /** What the other processes are to be told, and then were. */
  tell(): [key: string, count: number][] {
    const told = this.due.map(([key, bucket]): [string, number] => {
      const { untold } = bucket;
      bucket.untold = 0;
      bucket.isDue = false;
      return [key, untold];
    });
    this.due = [];
    return told;
  }

  /** Forgets the buckets that are full again, with less than a portion each that was not told. */
  sweep(): void {
    const now = this.now();
    for (const [key, { tokens, at }] of this.buckets)
      if (tokens + (now - at) * this.perMs >= this.limit) this.buckets.delete(key);
  }

  /**
   * Makes room for one key. A full bucket is as good as none and an empty one holds a client at its limit, so of those that were not
   * looked at for longest the fullest goes: many keys must not be a way to have a limit forgotten.
   */
  private dropFullest(now: number): void {
    const looked: [key: string, bucket: Bucket][] = [];
    let fullest = '';
    let most = -Infinity;
    for (const [key, bucket] of this.buckets) {
      const tokens = bucket.tokens + (now - bucket.at) * this.perMs;
      looked.push([key, bucket]);
      if (tokens > most) [fullest, most] = [key, tokens];
      if (most >= this.limit || (looked.length >= LOOKS && most >= 1) || looked.length >= MOST_LOOKS) break;
    }
    // behind the others, so that the next look is at those
    for (const [key, bucket] of looked) {
      this.buckets.delete(key);
      if (key !== fullest) this.buckets.set(key, bucket);
    }
  }

  private spend(key: string, bucket: Bucket, count: number): void {
    bucket.tokens = Math.max(-this.limit, bucket.tokens - count);
    bucket.untold += count;
    if (bucket.untold < this.portion || bucket.isDue) return;
    bucket.isDue = true;
    this.due.push([key, bucket]);
  }

  private refilled(key: string): Bucket {
    const now = this.now();
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      if (this.buckets.size >= this.maxKeys) this.dropFullest(now);
      bucket = { tokens: this.limit, at: now, untold: 0, isDue: false };
      this.buckets.set(key, bucket);
      return bucket;
    }
    bucket.tokens = Math.min(this.limit, bucket.tokens + (now - bucket.at) * this.perMs);
    bucket.at = now;
    return bucket;
  }
}
