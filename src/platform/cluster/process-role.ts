/** What a process does: answer HTTP, run the timetable, or both (one-process mode, tests). */
export type ProcessRole = 'web' | 'jobs' | 'all';

/** Injection token of the `ProcessRole` of this process. */
export const PROCESS_ROLE = Symbol('PROCESS_ROLE');

export function runsJobs(role: ProcessRole): boolean {
  return role !== 'web';
}

export function servesHttp(role: ProcessRole): boolean {
  return role !== 'jobs';
}
