import { setTimeout as sleep } from 'node:timers/promises';
import { InFlight } from './in-flight.js';

describe('InFlight', () => {
  it('runs all tasks, at most `limit` at a time', async () => {
    const tasks = new InFlight(3);
    let running = 0;
    let most = 0;
    let done = 0;
    for (let i = 0; i < 20; i++) {
      await tasks.add(async () => {
        most = Math.max(most, ++running);
        await sleep(1 + (i % 3));
        running--;
        done++;
      });
    }
    await tasks.settled();
    tasks.throwIfFailed();
    expect([most, done]).toEqual([3, 20]);
  });

  it('starts no task after a failure, and rejects with the first error', async () => {
    const tasks = new InFlight(2);
    let started = 0;
    const fill = async () => {
      for (;;) {
        await tasks.add(async () => {
          started++;
          await sleep(1);
          throw new Error(`task ${started}`);
        });
      }
    };
    await expect(fill()).rejects.toThrow('task');
    await tasks.settled();
    expect(started).toBeLessThanOrEqual(3);
    expect(() => tasks.throwIfFailed()).toThrow();
  });
});
