// `npm run start:dev`: Node starts this again after each change below src.
import { prepare } from './lib/prepare.mjs';

await prepare();
await import('../dist/bundle/main.js');
