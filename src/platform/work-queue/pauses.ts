/** Pauses that end after a time, or together. */
export class Pauses {
  private readonly ends = new Set<() => void>();

  constructor(private readonly pauseMs: number) {}

  /** Does not keep the process alive. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, this.pauseMs).unref();
      this.ends.add(end);
    });
  }

  endAll(): void {
    for (const end of this.ends) end();
  }
}
