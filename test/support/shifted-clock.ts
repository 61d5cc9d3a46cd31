const RealDate = Date;

/** Shifts the wall clock of this process; the clocks of the system and the database stay. */
export function shiftClock(byMs: number): void {
  const now = (): number => RealDate.now() + byMs;
  // its dates are plain ones, because mongoose stores those of a subclass as numbers
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: [] | [number]) => (given.length === 0 ? new target(now()) : new target(...given)),
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
}

export function mendClock(): void {
  globalThis.Date = RealDate;
}
