type Parcel = { dueAt: number; deliver: () => void };

/** Delays one direction of a connection without changing the order of the data. */
export class DelayLine {
  private readonly parcels: Parcel[] = [];

  send(delayMs: number, deliver: () => void): void {
    const before = this.parcels.at(-1);
    if (before === undefined && delayMs <= 0) return deliver();
    const dueAt = Math.max(performance.now() + delayMs, before?.dueAt ?? 0);
    this.parcels.push({ dueAt, deliver });
    if (before === undefined) this.wait();
  }

  private wait(): void {
    setTimeout(() => {
      const now = performance.now();
      while (this.parcels.length > 0 && this.parcels[0]!.dueAt <= now) this.parcels.shift()!.deliver();
      if (this.parcels.length > 0) this.wait();
    }, this.parcels[0]!.dueAt - performance.now());
  }
}
