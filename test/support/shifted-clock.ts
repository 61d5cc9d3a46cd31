const RealDate = Date;

/** From now on the time of day of this process is off by so much; what the system and the database tell stays. */
export function shiftClock(byMs: number): void {
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(RealDate.now() + byMs);
      else super(...(given as [number]));
    }
    static override now(): number {
      return RealDate.now() + byMs;
    }
  } as DateConstructor;
}

export function mendClock(): void {
  globalThis.Date = RealDate;
}
