/** The number of oldest items that are fetched together. */
const SCAN_SIZE = 100;

/**
 * Returns the oldest items of a map or set, one by one, for a caller that deletes each of them. `keys().next()` skips all deleted slots,
 * which takes 11 us at 10,000 items and 59 us at 100,000; here a hundred items share that, and are buffered until they are taken. An item
 * that was deleted and added again may come at its old position. (A long-lived iterator would keep every table of the map alive.)
 */
export class OldestKeys<T> {
  private readonly next: T[] = [];

  /** @param isPresent whether the item was not deleted since `list` returned it */
  constructor(
    private readonly list: () => Iterable<T>,
    private readonly isPresent: (item: T) => boolean,
  ) {}

  /** Undefined when there is none. */
  take(): T | undefined {
    for (;;) {
      if (this.next.length === 0) this.scan();
      const item = this.next.pop();
      if (item === undefined || this.isPresent(item)) return item;
    }
  }

  private scan(): void {
    for (const item of this.list()) if (this.next.push(item) === SCAN_SIZE) break;
    this.next.reverse();
  }
}

/** A map of at most `limit` entries: a new key evicts the oldest one. */
export class BoundedMap<K, V> extends Map<K, V> {
  private readonly oldest = new OldestKeys<K>(
    () => this.keys(),
    (key) => this.has(key),
  );

  constructor(private readonly limit: number) {
    super();
  }

  override set(key: K, value: V): this {
    if (this.size >= this.limit && !this.has(key)) this.delete(this.oldest.take()!);
    return super.set(key, value);
  }
}

/** A set of at most `limit` values: a new one evicts the oldest. */
export class BoundedSet<T> extends Set<T> {
  private readonly oldest = new OldestKeys<T>(
    () => this.keys(),
    (value) => this.has(value),
  );

  constructor(private readonly limit: number) {
    super();
  }

  override add(value: T): this {
    if (this.size >= this.limit && !this.has(value)) this.delete(this.oldest.take()!);
    return super.add(value);
  }
}
