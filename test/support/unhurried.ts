import { CpuPool } from '../../src/platform/cpu-pool/cpu-pool.js';
import type { TestApp } from './app.js';

/** Tasks of its CPU pool may take the time that a busy machine needs: for specs of what they make, not of their limits. */
export async function unhurried({ everyOf }: Pick<TestApp, 'everyOf'>): Promise<void> {
  for (const pool of everyOf(CpuPool)) {
    const run: CpuPool['run'] = pool.run.bind(pool);
    pool.run = (task, input) => run({ ...task, limitMs: 60_000 }, input);
  }
}
