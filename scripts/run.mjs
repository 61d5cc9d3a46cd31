// Runs a program of dist/, also on a fresh clone: `node scripts/run.mjs bundle/seed.js --profile tiny`.
import { join } from 'node:path';
import { prepare, ROOT } from './lib/prepare.mjs';

await prepare();
const [node, , program, ...args] = process.argv;
const path = join(ROOT, 'dist', program);
// Runs in this process, so that signals and the exit code need no forwarding.
process.argv = [node, path, ...args];
await import(path);
