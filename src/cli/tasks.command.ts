import { Command } from 'commander';
import type { Backlog } from '../platform/work-queue/task-worker.js';
import { showStatus, withServices } from './cli-context.js';

/** `tasks status` shows the backlog; `tasks run` runs it now, with or without a running server. */
export function tasksCommand(): Command {
  const status = new Command('status').description('show the backlog by topic').action(printStatus);
  const run = new Command('run')
    .description('run pending tasks; exit code 1 if another process runs them or one fails')
    .action(runUntilEmpty);
  return new Command('tasks')
    .description('background tasks: cleanup after deletions, renames, timelines')
    .addCommand(run)
    .addCommand(status);
}

async function printStatus(): Promise<void> {
  const { TaskWorker } = await import('../platform/work-queue/task-worker.js');
  await withServices(async (app) => console.log(describe(await app.get(TaskWorker).backlog())));
}

async function runUntilEmpty(): Promise<void> {
  const { TaskWorker } = await import('../platform/work-queue/task-worker.js');
  const { TASKS_JOB } = await import('../platform/work-queue/task.schema.js');
  const { JobsRunner } = await import('../platform/jobs/jobs-runner.js');
  await withServices(async (app, stop) => {
    const outcome = await app.get(JobsRunner).run(TASKS_JOB, async (lost) => {
      const signal = AbortSignal.any([lost, stop]);
      const report = await app.get(TaskWorker).drain(signal, (backlog) => showStatus(describe(backlog)));
      showStatus('');
      console.log(`${report.done} tasks, ${report.rows} rows, ${report.failed} failed; no pending tasks.`);
      if (report.failed > 0) process.exitCode = 1;
    });
    if (outcome === 'held elsewhere') console.log('Another process is running this task.');
    if (outcome !== 'done') process.exitCode ??= 1;
  });
}

function describe({ oldestAgeMs, failing, byTopic }: Backlog): string {
  const topics = Object.entries(byTopic).map(([topic, count]) => `${count} ${topic}`);
  if (topics.length === 0) return 'No pending tasks.';
  return `Waiting: ${topics.join(', ')}; the oldest for ${Math.round(oldestAgeMs / 1_000)} s, ${failing} failing`;
}
