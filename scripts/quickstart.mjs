// One command from a clone to a server with data: installs and builds what is missing, then runs the CLI's `quickstart`.
import { join } from 'node:path';
import { prepare, ROOT } from './lib/prepare.mjs';

process.chdir(ROOT);
await prepare();

// three processes that list their routes would hide the address to open
process.env.LOG_LEVEL ??= 'warn';

// npm outlives its script unless it was killed itself; nobody would be left to stop us then
const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

// the server runs in this very process: no go-between that could be left behind
process.argv = [process.argv[0], join(ROOT, 'dist/src/cli.js'), 'quickstart', ...process.argv.slice(2)];
await import('../dist/src/cli.js');
