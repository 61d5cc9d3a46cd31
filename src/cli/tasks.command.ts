import { Command } from 'commander';
import type { Backlog } from '../platform/work-queue/task-worker.js';
import { showStatus, withServices } from './cli-context.js';

/** `outbox status` shows pending tasks; `outbox run` processes them now, beside a running server or without one. */
export function outboxCommand(): Command {
  const status = new Command('status').description('what waits').action(printStatus);
  const run = new Command('run')
    .description('work until nothing waits; exit code 1 while another process does it, or when something fails')
    .action(runUntilEmpty);
  return new Command('outbox')
    .alias('sweep')
    .description('what deleted posts, comments and accounts, and renamed authors left to be done')
    .addCommand(run)
    .addCommand(status);
}

async function printStatus(): Promise<void> {
  const { OutboxWorker } = await import('../platform/work-queue/task-worker.js');
  await withServices(async (app) => console.log(describe(await app.get(OutboxWorker).backlog())));
}

async function runUntilEmpty(): Promise<void> {
  const { OUTBOX_JOB, OutboxWorker } = await import('../platform/work-queue/task-worker.js');
  const { JobsRunner } = await import('../platform/jobs/jobs-runner.js');
  await withServices(async (app, stop) => {
    const outcome = await app.get(JobsRunner).run(OUTBOX_JOB, async (lost) => {
      const signal = AbortSignal.any([lost, stop]);
      const report = await app.get(OutboxWorker).drain(signal, (backlog) => showStatus(describe(backlog)));
      showStatus('');
      console.log(`${report.passes} passes, ${report.rows} rows, ${report.failed} failed; nothing waits.`);
      if (report.failed > 0) process.exitCode = 1;
    });
    if (outcome === 'held elsewhere') console.log('Another process works on it at this moment.');
    if (outcome !== 'done') process.exitCode ??= 1;
  });
}

function describe({ rows, oldestAgeMs, failing, byTopic }: Backlog): string {
  if (rows === 0) return 'Nothing waits.';
  const topics = Object.entries(byTopic).map(([topic, count]) => `${count} ${topic}`);
  return `${rows} waiting (${topics.join(', ')}), the oldest for ${Math.round(oldestAgeMs / 1_000)} s, ${failing} failing`;
}
