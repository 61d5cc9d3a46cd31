import { setTimeout as sleep } from 'node:timers/promises';

/** The one timeout for every wait of the specs. A later event counts as missing. */
export const WAIT_MS = 300_000;
const POLL_MS = 20;

/** Polls until the result is not null. An expensive poll is repeated less often. */
export async function until<T>(
  look: () => T | null | undefined | Promise<T | null | undefined>,
  explain: () => string = () => 'it did not happen in time',
): Promise<T> {
  for (const deadline = performance.now() + WAIT_MS; ;) {
    const startedAt = performance.now();
    const found = await look();
    if (found !== null && found !== undefined) return found;
    const now = performance.now();
    if (now > deadline) throw new Error(explain());
    await sleep(Math.max(POLL_MS, 4 * (now - startedAt)));
  }
}

/** Waits until the count is zero, without a timeout as long as the count decreases. */
export async function untilNone(count: () => Promise<number>, what: string): Promise<void> {
  for (let left = await count(); left > 0;) {
    const before = left;
    left = await until(
      async () => {
        const now = await count();
        return now < before ? now : null;
      },
      () => `${before} ${what} are left, and none of them was done in ${WAIT_MS / 1_000} s`,
    );
  }
}
