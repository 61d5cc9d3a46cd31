import * as modules from 'node:module';

// Prefer hooks in the same thread: register() adds a thread to each, and Node 26 may crash when a loading thread ends.
if (modules.registerHooks) modules.registerHooks(await import('./typescript-hooks.mjs'));
else modules.register('./typescript-hooks.mjs', import.meta.url);
