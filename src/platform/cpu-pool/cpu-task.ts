/** A task for the pool: calls `run` of a module. Input and result are copied by structured clone. */
export type CpuTask<Run extends (input: never) => unknown> = {
  /** for metrics: `posts: html` */
  name: string;
  /** exports `run`; `new URL('./render.task.js', import.meta.url)` */
  module: URL;
  /** of CPU time on Linux, of wall time elsewhere; a thread that runs longer is terminated */
  limitMs: number;
  /** how long it may wait for a thread; three seconds by default */
  waitMs?: number;
  /** only in the type: `CpuTask<typeof import('./render.task.js').run>` */
  run?: Run;
};

/** A task exceeded its limit of time or memory, and its thread was ended. The same input would fail again. */
export class TaskLimitExceeded extends Error {
  override readonly name = 'TaskLimitExceeded';
}
