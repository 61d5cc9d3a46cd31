// The CLI on a fresh clone too: `node scripts/run-cli.mjs seed --profile tiny`.
import { join } from 'node:path';
import { prepare, ROOT } from './lib/prepare.mjs';

await prepare();
// in this very process: signals and the exit code need nobody to pass them on
process.argv[1] = join(ROOT, 'dist/bundle/cli.js');
await import('../dist/bundle/cli.js');
