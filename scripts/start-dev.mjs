// `npm run start:dev`: Node restarts this after each change below src.
import { prepare } from './lib/prepare.mjs';

await prepare();
await import('../dist/bundle/main.js');
