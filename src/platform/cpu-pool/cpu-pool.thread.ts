// Program of a pool thread: runs the module that a task names.
import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { mapStacks } from '../processes/source-maps.js';

export type ThreadJob = { id: number; module: string; input: unknown };
/** `thread`: its directory in /proc, null without /proc */
export type ThreadStart = { startedId: number; thread: string | null };

const thread = process.platform === 'linux' ? readlinkSync('/proc/thread-self') : null;

mapStacks();

export default async function runJob({ id, module, input }: ThreadJob): Promise<unknown> {
  const { run } = (await import(module)) as { run: (input: unknown) => unknown };
  // The limit of the task excludes the time of loading its module.
  parentPort!.postMessage({ startedId: id, thread } satisfies ThreadStart);
  return run(input);
}
