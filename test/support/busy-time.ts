import { readFileSync } from 'node:fs';

/**
 * Returns the CPU time of the first thread of a process, which is its event loop. Unlike wall time, CPU time does not increase while
 * other processes use the machine.
 */
export function loopBusyMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
