// The program of a thread of the pool: runs the module that a task names.
import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

export type ThreadJob = { id: number; module: string; input: unknown };
/** `thread`: its directory in /proc, if there is one */
export type ThreadStart = { startedId: number; thread: string | null };

const thread = process.platform === 'linux' ? readlinkSync('/proc/thread-self') : null;

export default async function runJob({ id, module, input }: ThreadJob): Promise<unknown> {
  const { run } = (await import(module)) as { run: (input: unknown) => unknown };
  // the limit of the task does not include the time of loading its module
  parentPort!.postMessage({ startedId: id, thread } satisfies ThreadStart);
  return run(input);
}
