// Lets Node run the TypeScript sources of the specs, and of their child processes.
import { isMainThread } from 'node:worker_threads';

// Threads of the server run from the bundle (typescript-hooks.mjs), because hooks in each of them would cost more than most of their tasks.
if (isMainThread) await import('./register-hooks.mjs');
