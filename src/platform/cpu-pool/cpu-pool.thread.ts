// The program of a thread of the pool: runs the module that a task names.
import { parentPort } from 'node:worker_threads';

export type ThreadJob = { id: number; module: string; input: unknown };
export type ThreadStart = { startedId: number };

export default async function runJob({ id, module, input }: ThreadJob): Promise<unknown> {
  const { run } = (await import(module)) as { run: (input: unknown) => unknown };
  // the limit of the task does not count the time its module took to load
  parentPort!.postMessage({ startedId: id } satisfies ThreadStart);
  return run(input);
}
