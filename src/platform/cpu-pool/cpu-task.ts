/** A task for the pool: calls `run` of a module. Input and result are copied by structured clone. */
export type CpuTask<Run extends (input: never) => unknown> = {
  /** for metrics: `posts: html` */
  name: string;
  /** module that exports `run`: `new URL('./render.task.js', import.meta.url)` */
  module: URL;
  /** CPU time on Linux, wall time elsewhere; the pool terminates a thread that runs longer */
  limitMs: number;
  /** maximum wait for a thread; three seconds by default */
  waitMs?: number;
  /** only in the type: `CpuTask<typeof import('./render.task.js').run>` */
  run?: Run;
};

/** The error of a task that exceeded its time or memory limit. The same input would fail again. */
export class TaskLimitExceeded extends Error {
  override readonly name = 'TaskLimitExceeded';
}
