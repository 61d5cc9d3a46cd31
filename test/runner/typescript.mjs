// Node runs the sources as they are: of the specs, and of their child processes.
import { isMainThread } from 'node:worker_threads';

// Threads of the server run from the bundle (typescript-hooks.mjs); hooks in each of them would cost more than most of their tasks.
if (isMainThread) await import('./register-hooks.mjs');
