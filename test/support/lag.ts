import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpAnswer } from '../faults/suite/http-client.js';
import type { Pinned } from './pinned.js';

const GIVE_UP_MS = 5_000;
/** so many new answers in a row, and the old one does not come back */
const IN_A_ROW = 10;

/** One address, and what its answer says once the change is seen. */
export type Sight = { path: string; isNew: (answer: HttpAnswer) => boolean };

/** Asks one worker for one address all the time. */
class Watcher {
  lastOldBegan = -Infinity;
  firstNewEnded = Infinity;
  newInARow = 0;
  /** the worker answers the old state from what it keeps: only then is there something to invalidate */
  isOldKept = false;
  private oldInARow = 0;
  private isOver = false;
  private readonly loop: Promise<void>;

  constructor({ client }: Pinned, { path, isNew }: Sight) {
    this.loop = (async () => {
      while (!this.isOver) {
        const beganAt = performance.now();
        const answer = await client.send({ method: 'GET', path });
        if (!answer.isReused) throw new Error('the connection broke, and the next may end at another worker');
        if (isNew(answer)) {
          this.newInARow++;
          this.firstNewEnded = Math.min(this.firstNewEnded, performance.now());
        } else {
          this.newInARow = 0;
          this.lastOldBegan = beganAt;
          // a 404 is kept too, and does not say so
          this.oldInARow++;
          if (answer.headers['x-cache'] === 'HIT' || (answer.status === 404 && this.oldInARow > 2))
            this.isOldKept = true;
        }
        await sleep(1);
      }
    })();
    this.loop.catch(() => (this.isOver = true));
  }

  stop(): Promise<void> {
    this.isOver = true;
    return this.loop;
  }
}

/** Milliseconds during which the old state was still given out: after the answer to the write, and after the new one was first seen. */
export type Lag = { afterAnswer: number; afterFirstSight: number };

export async function lagOf(pinned: Pinned[], sight: Sight, write: () => Promise<void>): Promise<Lag> {
  const watchers = pinned.map((one) => new Watcher(one, sight));
  const wait = async (what: string, isMet: (watcher: Watcher) => boolean): Promise<void> => {
    for (const until = performance.now() + GIVE_UP_MS; !watchers.every(isMet); await sleep(2))
      if (performance.now() > until) throw new Error(`${what}: not so at every worker after ${GIVE_UP_MS} ms`);
  };
  try {
    await wait('the old answer is kept', ({ isOldKept }) => isOldKept);
    await write();
    const answeredAt = performance.now();
    await wait('the new answer is given', ({ newInARow }) => newInARow >= IN_A_ROW);
    const lastOld = Math.max(...watchers.map(({ lastOldBegan }) => lastOldBegan));
    const firstNew = Math.min(...watchers.map(({ firstNewEnded }) => firstNewEnded));
    return { afterAnswer: Math.max(0, lastOld - answeredAt), afterFirstSight: Math.max(0, lastOld - firstNew) };
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.stop()));
  }
}
