// One command from a clone to a server with data: installs and builds the missing parts, then runs the CLI's `quickstart`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, ROOT } from './lib/prepare.mjs';
import { quieten } from './lib/quiet.mjs';

process.chdir(ROOT);
await prepare();

quieten(process.env, existsSync('.env') ? readFileSync('.env', 'utf8') : '');

// A script of a killed npm continues to run, so this process stops itself.
if (process.env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid;
  const npm = parentOf(shell);
  setInterval(() => {
    if (process.ppid !== shell || parentOf(shell) !== npm) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

// The server runs in this process, so that no parent can outlive it.
process.argv = [process.argv[0], join(ROOT, 'dist/bundle/cli.js'), 'quickstart', ...process.argv.slice(2)];
await import('../dist/bundle/cli.js');

/** Reads /proc. Returns undefined without /proc, which is equal every time. */
function parentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1];
  } catch {
    return undefined;
  }
}
