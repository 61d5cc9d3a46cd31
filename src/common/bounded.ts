/** number of oldest items per scan */
const SCAN_SIZE = 100;

/**
 * Returns the oldest items of a map or set, for a caller that deletes each item. `keys().next()` skips all deleted slots (11 us at
 * 10,000 items, 59 us at 100,000), so 100 items share one scan. An item that was deleted and added again may come at its old position,
 * and a long-lived iterator would retain every table of the map.
 */
export class OldestKeys<T> {
  private readonly next: T[] = [];

  /** @param isPresent whether the item was not deleted since `list` returned it */
  constructor(
    private readonly list: () => Iterable<T>,
    private readonly isPresent: (item: T) => boolean,
  ) {}

  /** Returns the next item, or undefined if there is none. */
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

/** A map of at most `limit` entries. A new key evicts the oldest entry. */
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

/** A set of at most `limit` values. A new value evicts the oldest value. */
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
