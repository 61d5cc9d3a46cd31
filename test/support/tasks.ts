import type { Topic } from '../../src/common/topic.js';
import { TaskRunner } from '../../src/platform/work-queue/task-runner.js';
import type { Task } from '../../src/platform/work-queue/task.schema.js';
import type { TestApp } from './app.js';

/** Runs the due tasks of these topics, oldest first, in an app without jobs. */
export async function runTasks(
  { app, db }: TestApp,
  topics: Pick<Topic<unknown>, 'name'>[],
  signal = AbortSignal.timeout(60_000),
): Promise<void> {
  const filter = { topic: { $in: topics.map(({ name }) => name) }, runAt: { $lte: new Date() } };
  const due = await db.collection<Task>('tasks').find(filter).sort({ runAt: 1 }).toArray();
  for (const task of due) await app.get(TaskRunner).run(task, task.lane, signal);
}
