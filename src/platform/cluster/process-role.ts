/** The role of a process: serve HTTP, commit the writes of a host, run scheduled jobs, or all of these (one-process mode, tests). */
export type ProcessRole = 'web' | 'writer' | 'jobs' | 'all';

/** Injection token of the `ProcessRole` of this process. */
export const PROCESS_ROLE = Symbol('PROCESS_ROLE');

export function runsJobs(role: ProcessRole): boolean {
  return role === 'jobs' || role === 'all';
}

export function servesHttp(role: ProcessRole): boolean {
  return role === 'web' || role === 'all';
}
