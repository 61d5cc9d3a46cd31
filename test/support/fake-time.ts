import { jest } from '@jest/globals';

/** Stops timers and clocks of this process in the tests of the calling block, except within `msOf`. */
export function useFakeTime(): void {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());
}

/** Returns the milliseconds of fake time that the work takes. */
export async function msOf(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = () => (isDone = true);
  work.then(done, done);
  await idle();
  for (let ms = 0; ; ms++) {
    if (isDone) return ms;
    jest.advanceTimersByTime(1);
    await idle();
  }
}

/** Waits for everything that needs no timer. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
