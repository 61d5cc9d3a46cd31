import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { StartupError } from './common/errors.js';
import { environmentWith } from './config/shared-environment.js';
import type { Host } from './platform/cluster/host-start.js';
import { FORMAT, readFormat, requireFormat } from './platform/mongo/format/database-format.js';
import { withClient } from './platform/mongo/with-client.js';

/**
 * Migrates data of an earlier format with MIGRATE=auto (the default with the embedded server), otherwise refuses it. Runs once per host, before any process serves.
 * @param programs the folder of cli.js
 * @throws StartupError
 */
export async function migrateOnStart(
  { config: { mongo }, environment, mongod }: Host,
  programs: string,
): Promise<void> {
  const isAutomatic = (mongo.migrate ?? (mongod === undefined ? 'manual' : 'auto')) === 'auto';
  const isOlder = await withClient(mongo, async (db) => {
    const stored = await readFormat(db);
    if (isAutomatic && stored !== null && stored.format < FORMAT) return true;
    await requireFormat(db);
    return false;
  });
  if (isOlder) await runProgram([join(programs, 'cli.js'), 'migrate', 'up'], environment);
}

/** Runs a program in a child process, so that the primary stays small. @throws StartupError */
export async function runProgram(args: string[], environment: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, args, {
    // The channel closes when this process exits.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: environmentWith(environment),
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new StartupError(`The database could not be prepared (\`${args.join(' ')}\` failed).`);
}
