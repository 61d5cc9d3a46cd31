// The CLI, also on a fresh clone: `node scripts/run-cli.mjs seed --profile tiny`.
import { join } from 'node:path';
import { prepare, ROOT } from './lib/prepare.mjs';

await prepare();
// Runs in this process, so that signals and the exit code need no forwarding.
process.argv[1] = join(ROOT, 'dist/bundle/cli.js');
await import('../dist/bundle/cli.js');
