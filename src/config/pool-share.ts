import { StartupError } from '../common/errors.js';

/** A stream, a transaction and a read at the same time. */
const LEAST = 3;
/** More connections do not increase the throughput (docs/experiments.md). */
const USUAL = 10;

/** Connections to one member of the replica set: of the host, and of each of its processes. */
export type PoolShare = { hostPoolSize: number; poolSize: number };

/**
 * Divides the connections of a host among its processes: web workers, writer and jobs process, and one more for a rolling restart.
 * @throws StartupError when there are too few
 */
export function poolShareOf(budget: number | undefined, workers: number, hasJobs: boolean): PoolShare {
  const shares = workers === 1 ? 1 : workers + 1 + Number(hasJobs) + 1;
  const hostPoolSize = budget ?? USUAL * shares;
  const poolSize = Math.floor(hostPoolSize / shares);
  if (poolSize < LEAST) {
    const why =
      shares === 1
        ? 'a process takes as many'
        : `${shares - 1} processes, and one that replaces another, take ${LEAST} each`;
    throw new StartupError(`MONGODB_POOL_SIZE must be at least ${shares * LEAST} here: ${why}.`);
  }
  return { hostPoolSize, poolSize };
}
