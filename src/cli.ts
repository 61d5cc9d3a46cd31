#!/usr/bin/env node
import { Command } from 'commander';
import { accountsCommand } from './cli/accounts.command.js';
import { backupCommand } from './cli/backup.command.js';
import { benchmarkCommand } from './cli/benchmark.command.js';
import { countersCommand } from './cli/counters.command.js';
import { explainCommand } from './cli/explain.command.js';
import { indexesCommand } from './cli/indexes.command.js';
import { mediaCommand } from './cli/media.command.js';
import { openapiCommand } from './cli/openapi.command.js';
import { quickstartCommand } from './cli/quickstart.command.js';
import { rankCommand } from './cli/rank.command.js';
import { restartCommand } from './cli/restart.command.js';
import { restoreCommand } from './cli/restore.command.js';
import { searchCommand } from './cli/search.command.js';
import { secretsCommand } from './cli/secrets.command.js';
import { seedCommand } from './cli/seed.command.js';
import { sessionsCommand } from './cli/sessions.command.js';
import { outboxCommand } from './cli/outbox.command.js';
import { exitWithReason, ignoreClosedTerminal } from './platform/cluster/process-end.js';

const program = new Command('opencanvas-api')
  .description('Upkeep of an opencanvas-api server')
  .showHelpAfterError()
  .addCommand(quickstartCommand(import.meta.dirname))
  .addCommand(accountsCommand())
  .addCommand(backupCommand())
  .addCommand(indexesCommand())
  .addCommand(benchmarkCommand())
  .addCommand(countersCommand())
  .addCommand(explainCommand())
  .addCommand(mediaCommand())
  .addCommand(openapiCommand())
  .addCommand(rankCommand())
  .addCommand(restartCommand())
  .addCommand(restoreCommand())
  .addCommand(searchCommand())
  .addCommand(secretsCommand())
  .addCommand(seedCommand())
  .addCommand(sessionsCommand())
  .addCommand(outboxCommand());

// as the child of another process of this project: its end is ours
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

// a command goes on when nobody reads what it says; that the disk has no room for it is a failure
ignoreClosedTerminal();
process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || code === 'EIO') return;
  console.error(`The output cannot be written: ${message}.`);
  process.exitCode = 1;
});

await exitWithReason(async () => {
  await program.parseAsync();
});
