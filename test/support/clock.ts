import { jest } from '@jest/globals';

/** `performance.now` of this process in the hands of a spec: ages and deadlines follow it, timers and the database do not. */
export interface Clock {
  advance(ms: number): void;
  /** Gives the clock back to the machine. */
  release(): void;
}

/** A clock that runs and can be set forward, or one that is stopped between two advances. */
export function takeClock({ isStill = false }: { isStill?: boolean } = {}): Clock {
  const real = performance.now.bind(performance);
  const startedAt = real();
  let aheadMs = 0;
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => (isStill ? startedAt : real()) + aheadMs);
  return {
    advance: (ms) => void (aheadMs += ms),
    release: () => spy.mockRestore(),
  };
}
