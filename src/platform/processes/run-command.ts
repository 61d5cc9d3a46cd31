import { spawn } from 'node:child_process';

export interface CommandResult {
  /** null when the command could not be started or was killed */
  code: number | null;
  output: string;
}

export interface CommandOptions {
  timeoutMs: number;
  /** default: the environment of this process */
  env?: Record<string, string>;
}

/** Runs a command to its end within a bound; never throws, a missing command is `code: null`. */
export function runCommand(command: string, args: string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: options.env });
    // Not spawn's own `timeout`: its timer outlives a command that is missing and holds the process open.
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
    const finish = (result: CommandResult) => {
      clearTimeout(timer);
      resolve(result);
    };
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => finish({ code: null, output: error.message }));
    child.once('close', (code) => finish({ code, output }));
  });
}
