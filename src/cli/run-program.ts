import type { Command } from 'commander';
import { exitWithReason, ignoreClosedTerminal } from '../platform/cluster/process-end.js';

/** Runs the command line of this process: `cli`, `seed` or `benchmark`. */
export async function runProgram(create: () => Command): Promise<void> {
  // A child of another process of this project exits with its parent.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();

  // A closed pipe does not fail a command, but a full disk does.
  ignoreClosedTerminal();
  process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || code === 'EIO') return;
    console.error(`The output cannot be written: ${message}.`);
    process.exitCode = 1;
  });

  await exitWithReason(async () => {
    await create().showHelpAfterError().parseAsync();
  });
}
