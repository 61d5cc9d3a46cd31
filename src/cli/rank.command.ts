import { Command } from 'commander';
import { showStatus, withServices } from './cli-context.js';

/** `rank run` scores all posts now; `rank status` shows the ranks that readers see. */
export function rankCommand(): Command {
  const run = new Command('run')
    .description('recompute the ranks of all posts; exit code 1 if another process does it')
    .action(() => withEngagement(runNow));
  const status = new Command('status')
    .description('show the current ranks and whether a run is in progress')
    .action(() => withEngagement(printStatus));
  return new Command('rank').description('compute and show ranks of posts').addCommand(run).addCommand(status);
}

type Engagement = import('../ranking/engagement.job.js').EngagementJob;

async function withEngagement(work: (engagement: Engagement, stop: AbortSignal) => Promise<void>): Promise<void> {
  const { EngagementJob } = await import('../ranking/engagement.job.js');
  await withServices((app, stop) => work(app.get(EngagementJob), stop));
}

async function runNow(engagement: Engagement, signal: AbortSignal): Promise<void> {
  const onProgress = (written: number): void => showStatus(`${written} posts moved`);
  const result = await engagement.run({ signal, onProgress });
  showStatus('');
  if (result === null) {
    console.log('Another process is computing ranks.');
    process.exitCode = 1;
    return;
  }
  const { epoch, slot, written, durationMs, waitedMs, cpuMs } = result;
  const rate = Math.round((written * 1_000) / Math.max(durationMs, 1));
  console.log(
    `Epoch ${epoch} (slot ${slot}): ${written} posts moved in ${durationMs} ms, ${rate} rows/s, ${cpuMs} ms CPU` +
      `${waitedMs > 0 ? `; ${waitedMs} ms of it until no reader was left in the slot` : ''}.`,
  );
}

async function printStatus(engagement: Engagement): Promise<void> {
  const row = await engagement.status();
  if (row === null || row.scoredAt.getTime() === 0)
    console.log('No run has completed yet; posts have their initial ranks.');
  else {
    const minutes = Math.round((Date.now() - row.scoredAt.getTime()) / 60_000);
    console.log(`Epoch ${row.epoch}, slot ${row.slot}, scored ${row.scoredAt.toISOString()} (${minutes} minutes ago).`);
  }
  if (row?.filling)
    console.log(`A run is in progress or was interrupted: started ${row.filling.startedAt.toISOString()}.`);
  if (await engagement.isDue()) console.log('A run is due.');
}
