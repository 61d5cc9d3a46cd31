// Node runs the sources as they are: of the specs, of their child processes and threads.
import * as modules from 'node:module';
import * as hooks from './typescript-hooks.mjs';

// hooks in the thread that they serve: those of Node 20 have a thread of their own, which later versions may not survive the end of
if (modules.registerHooks) modules.registerHooks(hooks);
else modules.register('./typescript-hooks.mjs', import.meta.url);
