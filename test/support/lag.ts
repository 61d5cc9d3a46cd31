import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpAnswer } from '../faults/suite/http-client.js';
import type { Pinned } from './pinned.js';
import { until } from './until.js';

/** New responses in a row, without an old response among them. */
const IN_A_ROW = 10;

/** A URL, and a test whether its response shows the change. */
export type Sight = { path: string; isNew: (answer: HttpAnswer) => boolean };

/** Requests one URL from one worker continuously. */
class Watcher {
  lastOldBegan = -Infinity;
  newInARow = 0;
  /** Old responses after a new one. */
  relapses = 0;
  /** The worker serves the old state from its cache. Without this there would be nothing to invalidate. */
  isOldKept = false;
  private hasSeenNew = false;
  private oldInARow = 0;
  private isOver = false;
  private readonly loop: Promise<void>;

  constructor({ client }: Pinned, { path, isNew }: Sight) {
    this.loop = (async () => {
      while (!this.isOver) {
        const beganAt = performance.now();
        const answer = await client.send({ method: 'GET', path });
        if (!answer.isReused) throw new Error('the connection broke, and the next may end at another worker');
        this.see(answer, isNew(answer), beganAt);
        await sleep(1);
      }
    })();
    this.loop.catch(() => (this.isOver = true));
  }

  stop(): Promise<void> {
    this.isOver = true;
    return this.loop;
  }

  private see({ headers, status }: HttpAnswer, isNew: boolean, beganAt: number): void {
    if (isNew) {
      this.newInARow++;
      this.hasSeenNew = true;
      return;
    }
    if (this.hasSeenNew) this.relapses++;
    this.newInARow = 0;
    this.lastOldBegan = beganAt;
    // A 404 is cached too, but has no X-Cache header.
    this.oldInARow++;
    if (headers['x-cache'] === 'HIT' || (status === 404 && this.oldInARow > 2)) this.isOldKept = true;
  }
}

export type Lag = {
  /** A request sent after the response to the write got an old response. */
  isLate: boolean;
  /** The lag, which is only printed. */
  ms: number;
  /** Old responses after a new one of the same worker. */
  relapses: number;
};

/** Changes cached data, and waits until each worker shows the change permanently. */
export async function lagOf(pinned: Pinned[], sight: Sight, write: () => Promise<void>): Promise<Lag> {
  const watchers = pinned.map((one) => new Watcher(one, sight));
  const all = (what: string, isMet: (watcher: Watcher) => boolean) =>
    until(
      () => watchers.every(isMet) || null,
      () => `${sight.path}, ${what}: not so at every worker`,
    );
  try {
    await all('the old state is cached', ({ isOldKept }) => isOldKept);
    await write();
    const answeredAt = performance.now();
    await all('the new state is shown', ({ newInARow }) => newInARow >= IN_A_ROW);
    const lastOld = Math.max(...watchers.map(({ lastOldBegan }) => lastOldBegan));
    const relapses = watchers.reduce((sum, watcher) => sum + watcher.relapses, 0);
    return { isLate: lastOld > answeredAt, ms: Math.max(0, lastOld - answeredAt), relapses };
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.stop()));
  }
}
