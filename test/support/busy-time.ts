import { readFileSync } from 'node:fs';

/**
 * CPU time of the first thread of a process, which is its event loop. Unlike wall time it does not increase while the machine is busy with
 * something else.
 */
export function loopBusyMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
