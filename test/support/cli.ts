import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type TestApp, testEnvironment } from './app.js';
import { ROOT } from './spawned-host.js';

/** Runs a command of the built CLI (`ensureBuilt`) on the database of an app. */
export function runCli(
  app: Pick<TestApp, 'db'>,
  command: string[],
  settings: Record<string, string> = {},
): { status: number | null; text: string } {
  const env = {
    ...process.env,
    ...testEnvironment({ MONGODB_DATABASE: app.db.databaseName, ...settings }),
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
  };
  const args = [join(ROOT, 'dist/src/cli.js'), ...command];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8', timeout: 180_000 });
  return { status, text: stdout + stderr };
}
