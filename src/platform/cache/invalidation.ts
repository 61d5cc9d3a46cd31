/** Tracks invalidations during loads. Otherwise the cache would store a response computed before an invalidation. */
export class InvalidationLog {
  private generation = 0;
  private readonly lastInvalidated = new Map<string, number>();
  private allInvalidated = 0;
  private readonly running = new Map<number, number>();

  /** Starts a load and returns its stamp, for `end`. */
  begin(): number {
    this.running.set(this.generation, (this.running.get(this.generation) ?? 0) + 1);
    return this.generation;
  }

  /** Ends a load. Returns true if no invalidation of its tags has occurred since `stamp`. */
  end(stamp: number, tags: string[]): boolean {
    const isCurrent =
      this.allInvalidated <= stamp && tags.every((tag) => (this.lastInvalidated.get(tag) ?? 0) <= stamp);
    const count = this.running.get(stamp)! - 1;
    if (count === 0) this.running.delete(stamp);
    else this.running.set(stamp, count);
    if (this.running.size === 0) this.lastInvalidated.clear();
    return isCurrent;
  }

  /** Returns true if no invalidation has occurred since `stamp`. */
  isUntouchedSince(stamp: number): boolean {
    return this.generation === stamp;
  }

  /** @param tags null invalidates everything */
  invalidate(tags: string[] | null): void {
    this.generation++;
    if (tags === null) this.allInvalidated = this.generation;
    if (tags === null || this.running.size === 0) return;
    for (const tag of tags) this.lastInvalidated.set(tag, this.generation);
  }
}
