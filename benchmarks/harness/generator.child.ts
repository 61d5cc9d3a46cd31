/** Process of the load generator, so that its CPU does not count as the server's. It reports its own share of a core. */
import { runClosedLoop } from './closed-loop.js';
import type { LoadPlan } from './load-plan.js';
import { runOpenLoop } from './open-loop.js';

const onTick = (requests: number) => process.send?.({ type: 'tick', requests });

async function execute(plan: LoadPlan): Promise<void> {
  try {
    const measurements = plan.mode === 'closed' ? await runClosedLoop(plan, onTick) : await runOpenLoop(plan, onTick);
    process.send?.({ type: 'done', measurements });
  } catch (error) {
    process.send?.({
      type: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}

process.on('message', (plan) => void execute(plan as LoadPlan));
// The parent has exited.
process.on('disconnect', () => process.exit(0));
