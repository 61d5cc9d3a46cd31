const RealDate = Date;

/** Shifts the wall clock of this process, but not the clocks of the system and the database. */
export function shiftClock(byMs: number): void {
  const now = (): number => RealDate.now() + byMs;
  // The proxy creates plain dates, because mongoose stores dates of a subclass as numbers.
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: [] | [number]) => (given.length === 0 ? new target(now()) : new target(...given)),
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
}

export function mendClock(): void {
  globalThis.Date = RealDate;
}
