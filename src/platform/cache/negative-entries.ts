import { BoundedMap } from '../../common/bounded.js';
import { CodedError } from '../../common/errors.js';
import { MAX_UNCOUNTED_LENGTH } from './entry-store.js';

const MAX_NEGATIVES = 10_000;

/** Short memories of 404, so that asking for what does not exist costs no query each time. Any invalidation clears them all. */
export class NegativeEntries {
  private readonly entries = new BoundedMap<string, { error: CodedError; until: number }>(MAX_NEGATIVES);

  constructor(private readonly ttlMs: number) {}

  get(key: string): CodedError | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (performance.now() < entry.until) return entry.error;
    this.entries.delete(key);
    return undefined;
  }

  /** Remembers a 404; other errors are not facts about the key. */
  remember(key: string, error: unknown): void {
    if (!(error instanceof CodedError) || error.status !== 404 || key.length > MAX_UNCOUNTED_LENGTH) return;
    this.entries.set(key, { error, until: performance.now() + this.ttlMs });
  }

  clear(): void {
    this.entries.clear();
  }
}
