import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import type { Difference } from '../audit/recount.js';

/** `counters audit` compares, `counters repair` also puts right; both run while the server does. */
export function countersCommand(): Command {
  const audit = new Command('audit')
    .description('compare every counter with the rows behind it; exit code 1 when one differs')
    .action(() => runAudit(false));
  const repair = new Command('repair')
    .description('set every counter that differs to what the rows say')
    .action(() => runAudit(true));
  return new Command('counters')
    .description('counters against the rows behind them')
    .addCommand(audit, { isDefault: true })
    .addCommand(repair);
}

async function runAudit(isRepair: boolean): Promise<void> {
  const { withServices } = await import('./cli-context.js');
  const { AuditService } = await import('../audit/audit.service.js');
  await withServices(async (app, _config, signal) => {
    const startedAt = performance.now();
    const progress = createProgress();
    const print = ({ collection, id, counter, stored, counted }: Difference): void =>
      console.log(`${collection} ${id} ${counter}: stored ${stored ?? 'nothing'}, rows ${counted}`);
    const options = { isRepair, signal, onProgress: progress.update };
    const { holders, differences } = await app
      .get(AuditService)
      .audit(print, options)
      .finally(() => progress.stop());
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const outcome = isRepair ? `${differences} counters repaired` : `${differences} differences`;
    console.log(`${outcome} among ${holders} documents, ${seconds} s.`);
    if (!isRepair && differences > 0) process.exitCode = 1;
  });
}

/** A bar on a terminal, nothing where the output is kept. */
function createProgress() {
  if (!process.stderr.isTTY) return { update: undefined, stop: () => {} };
  const bar = new SingleBar({
    format: '{collection} {bar} {value}/{total} {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
  });
  let collection = '';
  return {
    update: (step: { collection: string; done: number; total: number }): void => {
      if (step.collection !== collection) {
        bar.stop();
        collection = step.collection;
        bar.start(step.total, 0, { collection: collection.padEnd(8) });
      }
      bar.update(step.done);
    },
    stop: () => bar.stop(),
  };
}
