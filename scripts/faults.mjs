// The long fault run, also on a fresh clone: `npm run faults -- --faults 200 --seed 1`.
import { prepare } from './lib/prepare.mjs';

await prepare();
await import('../test/runner/typescript.mjs');
await import('../test/faults/suite/main.ts');
