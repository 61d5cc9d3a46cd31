import { Command } from 'commander';
import { fullVersion } from '../config/package-version.js';
import { accountsCommand } from './accounts.command.js';
import { backupCommand } from './backup.command.js';
import { checkCommand } from './check.command.js';
import { configCommand } from './config.command.js';
import { countersCommand } from './counters.command.js';
import { explainCommand } from './explain.command.js';
import { importCommand } from './import.command.js';
import { indexesCommand } from './indexes.command.js';
import { mediaCommand } from './media.command.js';
import { migrateCommand } from './migrate.command.js';
import { moderationCommand } from './moderation.command.js';
import { openapiCommand } from './openapi.command.js';
import { profileCommand } from './profile.command.js';
import { quickstartCommand } from './quickstart.command.js';
import { rankCommand } from './rank.command.js';
import { restartCommand } from './restart.command.js';
import { restoreCommand } from './restore.command.js';
import { searchCommand } from './search.command.js';
import { secretsCommand } from './secrets.command.js';
import { sessionsCommand } from './sessions.command.js';
import { tasksCommand } from './tasks.command.js';

/** Creates all commands of the CLI. @param programs the folder of main.js, cli.js and seed.js */
export function createProgram(programs: string): Command {
  return new Command('opencanvas-api')
    .description('Maintain an opencanvas-api server')
    .version(fullVersion())
    .addCommand(quickstartCommand(programs))
    .addCommand(accountsCommand())
    .addCommand(backupCommand())
    .addCommand(checkCommand())
    .addCommand(configCommand())
    .addCommand(importCommand())
    .addCommand(indexesCommand())
    .addCommand(countersCommand())
    .addCommand(explainCommand())
    .addCommand(mediaCommand())
    .addCommand(migrateCommand())
    .addCommand(moderationCommand())
    .addCommand(openapiCommand())
    .addCommand(profileCommand())
    .addCommand(rankCommand())
    .addCommand(restartCommand())
    .addCommand(restoreCommand())
    .addCommand(searchCommand())
    .addCommand(secretsCommand())
    .addCommand(sessionsCommand())
    .addCommand(tasksCommand());
}
