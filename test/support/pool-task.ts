import { getPriority } from 'node:os';
import { threadId } from 'node:worker_threads';

export type PoolInput =
  | { does: 'tell' }
  | { does: 'hold'; flag: Int32Array }
  | { does: 'spin' }
  | { does: 'hoard' }
  | { does: 'throw'; message: string };

/** Task that the specs of the pool run in its threads. */
export function run(input: PoolInput): { threadId: number; priority: number } {
  switch (input.does) {
    case 'hold':
      Atomics.add(input.flag, 1, 1);
      Atomics.notify(input.flag, 1);
      Atomics.wait(input.flag, 0, 0);
      break;
    case 'spin':
      for (;;);
    case 'hoard':
      for (const hoard: number[][] = []; ;) hoard.push(new Array<number>(100_000).fill(hoard.length + 0.5));
    case 'throw':
      throw new RangeError(input.message);
    case 'tell':
  }
  // On Linux this is the priority of the thread.
  return { threadId, priority: getPriority() };
}
