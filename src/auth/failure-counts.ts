/** `free` failures cost nothing; each further one doubles the wait, from a second up to the longest. */
export type WaitRule = { free: number; longestMs: number };

type Entry = { failures: number; failedAt: number; pending: number; pendingAt: number };

const FORGET_AFTER_MS = 3_600_000;
/** an attempt whose end was never told (its process ended) no longer counts */
const PENDING_MS = 10_000;
const MAX_KEYS = 50_000;

/** Failed attempts by key, and those whose end is not known yet: guesses sent side by side are guesses all the same. */
export class FailureCounts {
  /** in the order of their last attempt */
  private readonly harmless = new Map<string, Entry>();
  /** those that have used up what is free; when there are too many keys they are the last to be forgotten */
  private readonly limited = new Map<string, Entry>();

  /** @param now milliseconds of any clock that only goes forward */
  constructor(
    private readonly rule: WaitRule,
    private readonly now: () => number,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  get size(): number {
    return this.harmless.size + this.limited.size;
  }

  /** How long the next attempt has to wait; 0 when it may begin. */
  waitMs(key: string): number {
    const entry = this.find(key);
    if (entry === undefined) return 0;
    const { failures, failedAt, pending } = entry;
    const { free, longestMs } = this.rule;
    if (failures + pending < free) return 0;
    const isOverAt = failures < free ? 0 : failedAt + Math.min(longestMs, 1_000 * 2 ** Math.min(failures - free, 20));
    return Math.max(isOverAt - this.now(), pending > 0 ? 1_000 : 0);
  }

  /** An attempt is under way; `failed` or `ended` follows. */
  begun(key: string): void {
    const now = this.now();
    const entry = this.find(key) ?? { failures: 0, failedAt: now, pending: 0, pendingAt: now };
    this.put(key, { ...entry, pending: entry.pending + 1, pendingAt: now });
  }

  failed(key: string): void {
    const now = this.now();
    const { failures, pending, pendingAt } = this.find(key) ?? { failures: 0, pending: 0, pendingAt: now };
    this.put(key, { failures: failures + 1, failedAt: now, pending: Math.max(0, pending - 1), pendingAt });
  }

  /**
   * The attempt was no failure, and neither are so many before it.
   * @returns how many failures the key had
   */
  ended(key: string, forgiven = 0): number {
    const entry = this.find(key);
    if (entry === undefined) return 0;
    const { failures, pending } = entry;
    this.put(key, { ...entry, failures: Math.max(0, failures - forgiven), pending: Math.max(0, pending - 1) });
    return failures;
  }

  private find(key: string): Entry | undefined {
    const entry = this.limited.get(key) ?? this.harmless.get(key);
    if (entry === undefined) return undefined;
    const now = this.now();
    if (now - entry.pendingAt > PENDING_MS) entry.pending = 0;
    return entry.pending === 0 && now - entry.failedAt > FORGET_AFTER_MS ? undefined : entry;
  }

  private put(key: string, entry: Entry): void {
    this.harmless.delete(key);
    this.limited.delete(key);
    const { failures, pending } = entry;
    if (failures + pending === 0) return;
    if (this.size >= this.maxKeys) this.forgetOne();
    (failures + pending < this.rule.free ? this.harmless : this.limited).set(key, entry);
  }

  private forgetOne(): void {
    const from = this.harmless.size > 0 ? this.harmless : this.limited;
    from.delete(from.keys().next().value!);
  }
}
