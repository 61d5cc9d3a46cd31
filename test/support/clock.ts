import { jest } from '@jest/globals';

/** Replaces `performance.now` of this process: ages and deadlines follow it, timers and the database do not. */
export interface Clock {
  advance(ms: number): void;
  /** Restores the real clock. */
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
