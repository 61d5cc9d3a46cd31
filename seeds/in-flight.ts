/** Runs at most `limit` tasks at a time. The caller waits for a slot, not for the task. */
export class InFlight {
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | null = null;

  constructor(private readonly limit: number) {}

  /** Starts the task as soon as a slot is free. Throws the error of an earlier task. */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.running.size >= this.limit) await Promise.race(this.running);
    this.throwIfFailed();
    const running = task()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }

  /** Resolves when all tasks have ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  throwIfFailed(): void {
    if (this.failure) throw this.failure.error;
  }
}
