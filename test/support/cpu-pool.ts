import { AppConfig } from '../../src/config/app-config.js';
import { CpuPool } from '../../src/platform/cpu-pool/cpu-pool.js';
import type { TestApp } from './app.js';

/** One pool for all apps of this process, because each thread loads its modules again. */
let shared: CpuPool | undefined;

/** CPU tasks keep their limits of CPU time, but a busy machine may take as long as it needs for them. */
export function useCpuTimeLimits({ everyOf }: Pick<TestApp, 'everyOf'>): void {
  for (const pool of everyOf(CpuPool)) pool.maxWall = Infinity;
}

/** Runs the CPU tasks of an app in the threads of this process. A task may take as long as a busy machine needs. */
export function useSharedCpuPool({ app, everyOf }: Pick<TestApp, 'app' | 'everyOf'>): void {
  for (const pool of everyOf(CpuPool)) {
    // The class comes from the bundle if the run tests the bundle.
    const { constructor } = pool as unknown as { constructor: typeof CpuPool };
    const threads = (shared ??= new constructor(app.get(AppConfig)));
    pool.run = (task, input, author) => threads.run({ ...task, limitMs: 60_000 }, input, author);
  }
}
