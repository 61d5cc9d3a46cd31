import { Console } from 'node:console';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { type Command, CommanderError } from 'commander';
import { seedCommand } from '../../seeds/seed.command.js';
import { createProgram } from '../../src/cli/program.js';
import { describeFailure } from '../../src/platform/cluster/process-end.js';
import { type TestApp, testEnvironment } from './app.js';
import { ROOT } from './spawned-host.js';

export interface CommandResult {
  /** Exit code. */
  status: number;
  /** stdout and stderr, in their order. */
  text: string;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command of `cli`, or `seed`, in this process, which saves the start of Node and of the application. Only one command may run at a time, because
 * it uses the environment, the output and the exit code of the process. test/medium/command-process.spec.ts runs real processes.
 */
export async function runCommand(
  args: string[],
  settings: Record<string, string> = {},
  program: 'cli' | 'seed' = 'cli',
): Promise<CommandResult> {
  const own = { ...testEnvironment(settings), NODE_ENV: 'development', LOG_LEVEL: 'error', ...settings };
  const restore = [replaceEnvironment(own), keepExitCode(), keepSignalHandlers()];
  const output = captureOutput();
  try {
    const status = await statusOf(program === 'cli' ? createProgram(join(ROOT, 'dist/bundle')) : seedCommand(), args);
    return { status, text: output.text() };
  } finally {
    output.release();
    for (const undo of restore) undo();
    // The command has set the level of every logger of the process.
    Logger.overrideLogger(['fatal']);
  }
}

/** Runs a command on the database of an app. */
export function runCli(
  app: Pick<TestApp, 'db'>,
  command: string[],
  settings: Record<string, string> = {},
): Promise<CommandResult> {
  return runCommand(command, { MONGODB_DATABASE: app.db.databaseName, ...settings });
}

/** Returns the exit code like `exitWithReason`, without ending the process. */
async function statusOf(program: Command, args: string[]): Promise<number> {
  neverExit(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // commander has printed the error.
    if (error instanceof CommanderError) return error.exitCode;
    console.error(describeFailure(error));
    return Number(process.exitCode ?? 1);
  }
}

/** Includes subcommands, which do not inherit the setting. */
function neverExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(neverExit);
}

function captureOutput(): { text: () => string; release: () => void } {
  const { stdout, stderr } = process;
  const [writeOut, writeError] = [stdout.write.bind(stdout), stderr.write.bind(stderr)];
  const { console } = globalThis;
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  globalThis.console = new Console(sink, sink);
  stdout.write = stderr.write = sink.write.bind(sink) as typeof stdout.write;
  return {
    text: () => text,
    release: () => {
      stdout.write = writeOut;
      stderr.write = writeError;
      globalThis.console = console;
    },
  };
}

function replaceEnvironment(values: Record<string, string>): () => void {
  const { env } = process;
  process.env = { ...env, ...values };
  return () => void (process.env = env);
}

function keepExitCode(): () => void {
  const { exitCode } = process;
  process.exitCode = undefined;
  return () => void (process.exitCode = exitCode);
}

/** Restores the signal listeners, because a command listens until its process exits. */
function keepSignalHandlers(): () => void {
  const before = STOP_SIGNALS.map((signal) => process.listeners(signal));
  return () =>
    STOP_SIGNALS.forEach((signal, at) => {
      for (const listener of process.listeners(signal))
        if (!before[at]!.includes(listener)) process.off(signal, listener);
    });
}
