import { Command } from 'commander';
import type { SweepBacklog } from '../platform/outbox/outbox-worker.js';

/** `sweep status` shows the backlog; `sweep run` works it off now, beside a running server or without one. */
export function sweepCommand(): Command {
  const status = new Command('status').description('what waits for the sweeper').action(printStatus);
  const run = new Command('run')
    .description('sweep until nothing waits; exit code 1 while another process does it, or when a task fails')
    .action(runUntilEmpty);
  return new Command('sweep')
    .description('removal of what deleted posts, comments and accounts left behind')
    .addCommand(run)
    .addCommand(status);
}

async function printStatus(): Promise<void> {
  const [{ withServices }, { SweeperService }] = await load();
  await withServices(async (app) => console.log(describe(await app.get(SweeperService).backlog())));
}

async function runUntilEmpty(): Promise<void> {
  const [{ withServices }, { SweeperService }] = await load();
  const { JobsRunner } = await import('../platform/jobs/jobs-runner.js');
  const { SWEEPER_JOB } = await import('../platform/outbox/outbox.schedule.js');
  await withServices(async (app, _config, stop) => {
    const isTerminal = process.stderr.isTTY;
    const outcome = await app.get(JobsRunner).run(SWEEPER_JOB, async (lost) => {
      const report = await app.get(SweeperService).drain(AbortSignal.any([lost, stop]), (backlog) => {
        if (isTerminal) process.stderr.write(`\r${describe(backlog)}\x1b[K`);
      });
      if (isTerminal) process.stderr.write('\r\x1b[K');
      console.log(`${report.tasks} passes, ${report.rows} rows, ${report.failed} failed; nothing waits.`);
      if (report.failed > 0) process.exitCode = 1;
    });
    if (outcome === 'held elsewhere') console.log('Another process is sweeping at this moment.');
    if (outcome !== 'done') process.exitCode ??= 1;
  });
}

function load() {
  return Promise.all([import('./cli-context.js'), import('../platform/outbox/outbox-worker.js')]);
}

function describe({ tasks, oldestAgeMs, failing, byKind }: SweepBacklog): string {
  if (tasks === 0) return 'Nothing waits for the sweeper.';
  const kinds = Object.entries(byKind).map(([kind, count]) => `${count} ${kind}`);
  return `${tasks} waiting (${kinds.join(', ')}), the oldest for ${Math.round(oldestAgeMs / 1_000)} s, ${failing} failing`;
}
