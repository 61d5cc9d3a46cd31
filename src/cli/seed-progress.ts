import type { LoadProgress } from '../../seeds/load.js';
import { createProgress } from './progress.js';

/** Shows the progress of a load. */
export interface SeedProgress {
  update(progress: LoadProgress): void;
  stop(): void;
}

export function createSeedProgress(stream: NodeJS.WriteStream, now?: () => number): SeedProgress {
  const progress = createProgress(stream, now);
  return { update: (load) => progress.update(stepOf(load)), stop: () => progress.stop() };
}

function stepOf({ phase, collection, written, total, share }: LoadProgress) {
  const whats = {
    documents: `${collection}: ${written} of ${total}`,
    indexes: `${total} documents stored, building indexes`,
    done: `${total} documents and their indexes`,
  };
  return { phase, what: whats[phase], written, share, isDone: phase === 'done' };
}
