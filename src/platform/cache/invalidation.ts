/** The tags invalidated during running loads: a response computed before an invalidation must not be stored after it. */
export class InvalidationLog {
  private generation = 0;
  private readonly lastInvalidated = new Map<string, number>();
  private allInvalidated = 0;
  private readonly running = new Map<number, number>();

  /** Stamps the start of a load. */
  begin(): number {
    this.running.set(this.generation, (this.running.get(this.generation) ?? 0) + 1);
    return this.generation;
  }

  /** Ends a load started at `stamp`; true when none of the tags was invalidated since. */
  end(stamp: number, tags: string[]): boolean {
    const isCurrent =
      this.allInvalidated <= stamp && tags.every((tag) => (this.lastInvalidated.get(tag) ?? 0) <= stamp);
    const count = this.running.get(stamp)! - 1;
    if (count === 0) this.running.delete(stamp);
    else this.running.set(stamp, count);
    if (this.running.size === 0) this.lastInvalidated.clear();
    return isCurrent;
  }

  /** True when nothing at all was invalidated since `stamp`. */
  isUntouchedSince(stamp: number): boolean {
    return this.generation === stamp;
  }

  /** null: everything */
  invalidate(tags: string[] | null): void {
    this.generation++;
    if (tags === null) this.allInvalidated = this.generation;
    if (tags === null || this.running.size === 0) return;
    for (const tag of tags) this.lastInvalidated.set(tag, this.generation);
  }
}
