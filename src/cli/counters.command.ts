import { Command } from 'commander';
import type { Difference } from '../audit/recount.js';
import { showStatus, withServices } from './cli-context.js';

/** `counters audit` compares, `counters repair` also corrects; both work while the server runs. */
export function countersCommand(): Command {
  const audit = new Command('audit')
    .description('compare every counter with its rows; exit code 1 if one differs')
    .action(() => runAudit(false));
  const repair = new Command('repair')
    .description('recompute every counter that differs from its rows')
    .action(() => runAudit(true));
  return new Command('counters')
    .description('audit and repair counters')
    .addCommand(audit, { isDefault: true })
    .addCommand(repair);
}

async function runAudit(isRepair: boolean): Promise<void> {
  const { AuditService } = await import('../audit/audit.service.js');
  await withServices(async (app, signal) => {
    const startedAt = performance.now();
    const print = ({ collection, id, counter, stored, counted }: Difference): void => {
      showStatus('');
      console.log(`${collection} ${id} ${counter}: stored ${stored ?? 'nothing'}, rows ${counted}`);
    };
    const onProgress = (step: { collection: string; done: number; total: number }): void =>
      showStatus(`${step.collection}: ${step.done} of ${step.total}`);
    const { holders, differences } = await app.get(AuditService).audit(print, { isRepair, signal, onProgress });
    showStatus('');
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const outcome = isRepair ? `${differences} counters repaired` : `${differences} differences`;
    console.log(`${outcome} among ${holders} documents, ${seconds} s.`);
    if (!isRepair && differences > 0) process.exitCode = 1;
  });
}
