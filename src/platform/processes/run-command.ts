import { execFile } from 'node:child_process';

export interface CommandOptions {
  timeoutMs: number;
  /** default: the environment of this process */
  env?: Record<string, string>;
}

/** Runs a command with a time limit. Never throws: `isDone` is false for a missing, failing or slow command. */
export function runCommand(
  command: string,
  args: string[],
  { timeoutMs: timeout, env }: CommandOptions,
): Promise<{ isDone: boolean; output: string }> {
  return new Promise((resolve) =>
    execFile(command, args, { timeout, env, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
      resolve({ isDone: error === null, output: `${stdout}${stderr}`.trim() || (error?.message ?? '') }),
    ),
  );
}
