import { readFileSync } from 'node:fs';

/**
 * Time the first thread of a process, which is its event loop, has spent on a processor. Unlike the time of day it does not
 * grow while the machine is busy with something else.
 */
export function loopBusyMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
