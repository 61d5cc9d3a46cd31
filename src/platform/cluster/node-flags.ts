import type { ProcessRole } from './process-role.js';

/** Nest installs its error handler over fastify's, as it should; fastify warns of that once per process. */
const EVERY_PROCESS = ['--disable-warning=FSTWRN004'];

/**
 * What a score run keeps alive is the same for any number of posts, but on a machine with memory V8 lets three times as much garbage
 * pile up before it collects, and the resident memory would grow with the run's length.
 */
const JOBS = ['--heap-growing-percent=40'];

/** Flags of node for a process of this role. */
export function nodeFlagsOf(role: ProcessRole): string[] {
  return role === 'jobs' ? [...EVERY_PROCESS, ...JOBS] : EVERY_PROCESS;
}
