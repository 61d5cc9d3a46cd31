import { jest } from '@jest/globals';

/** Replaces `performance.now` of this process. Ages and deadlines follow the clock, timers and the database do not. */
export interface Clock {
  advance(ms: number): void;
  /** Restores the real clock. */
  release(): void;
}

/** Installs a clock that runs and can be set forward, or one that is stopped between two advances. */
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
