import type { LanePlaces } from './lane-places.js';
import { Pauses } from './pauses.js';
import type { Task } from './task.schema.js';

type LaneWork = {
  places: LanePlaces;
  /** returns the next task that has a place, or null */
  claim: () => Promise<Task | null>;
  /** @throws to stop the lane */
  run: (task: Task) => Promise<void>;
  /** waits, and returns whether the pass has ended */
  onIdle: () => Promise<boolean>;
  pollMs: number;
  signal: AbortSignal;
};

/**
 * Runs the due tasks of a lane until `onIdle` says that the pass has ended. Keeps all places busy.
 * @throws the signal's reason or the error of a task, after all running tasks have ended
 */
export async function runLane({ places, claim, run, onIdle, pollMs, signal }: LaneWork): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let freed = 0;
  const pauses = new Pauses(pollMs);
  const start = (task: Task): void => {
    places.take(task);
    const ending = run(task)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        places.leave(task);
        running.delete(ending);
        freed++;
        pauses.endAll();
      });
    running.add(ending);
  };
  // A claim that finds nothing examines every task that waits for a place of its key. After it, a freed place is filled once.
  let searchAt = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      if (failures.length > 0) throw failures[0];
      let claims = places.isEmpty || performance.now() >= searchAt ? Infinity : freed;
      for (freed = 0; claims > 0 && !places.isFull; claims--) {
        const task = await claim();
        if (task !== null) start(task);
        else [claims, searchAt] = [0, performance.now() + pollMs];
      }
      if (freed > 0) continue;
      if (!places.isEmpty) await pauses.start();
      else if (await onIdle()) return;
    }
  } finally {
    await Promise.all(running);
  }
}
