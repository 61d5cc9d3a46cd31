#!/usr/bin/env node
import { Command } from 'commander';
import { benchmarkCommand } from './cli/benchmark.command.js';
import { indexesCommand } from './cli/indexes.command.js';
import { quickstartCommand } from './cli/quickstart.command.js';
import { rankCommand } from './cli/rank.command.js';
import { restartCommand } from './cli/restart.command.js';
import { registerSeedCommand } from './cli/seed.command.js';
import { orExplain } from './platform/cluster/or-explain.js';

const program = new Command('opencanvas-api')
  .description('Upkeep of an opencanvas-api server')
  .showHelpAfterError()
  .addCommand(quickstartCommand())
  .addCommand(indexesCommand())
  .addCommand(benchmarkCommand())
  .addCommand(rankCommand())
  .addCommand(restartCommand());

registerSeedCommand(program, {
  open: async () => {
    const [{ openCliContext }, { ensureIndexes }] = await Promise.all([
      import('./cli/cli-context.js'),
      import('./platform/mongo/indexes.js'),
    ]);
    const { connection, close } = await openCliContext();
    return { db: connection.db!, ensureIndexes: () => ensureIndexes(connection), close };
  },
});

// as the child of another process of this project: its end is ours
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

await orExplain(async () => {
  await program.parseAsync();
});
