// One command from a clone to a server with data: installs and builds the missing parts, then runs the CLI's `quickstart`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, ROOT } from './lib/prepare.mjs';
import { quieten } from './lib/quiet.mjs';

process.chdir(ROOT);
await prepare();

quieten(process.env, existsSync('.env') ? readFileSync('.env', 'utf8') : '');

// when npm is killed, its script continues running: stop it ourselves
if (process.env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid;
  const npm = parentOf(shell);
  setInterval(() => {
    if (process.ppid !== shell || parentOf(shell) !== npm) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

// the server runs in this process, without a parent that could be left behind
process.argv = [process.argv[0], join(ROOT, 'dist/bundle/cli.js'), 'quickstart', ...process.argv.slice(2)];
await import('../dist/bundle/cli.js');

/** From /proc; undefined without it, and so equal every time. */
function parentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1];
  } catch {
    return undefined;
  }
}
