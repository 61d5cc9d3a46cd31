// Worker threads and processes of our own are outside of jest: there the sources are compiled by this, and a file that is imported as .js
// is found as .ts.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread || process.argv[1]?.endsWith('.child.js')) register('./typescript-hooks.mjs', import.meta.url);
