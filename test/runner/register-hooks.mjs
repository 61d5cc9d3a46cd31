import * as modules from 'node:module';

// In the thread that they serve, where Node can: register() gives each thread one more, and Node 26 may crash when one ends that still loads.
if (modules.registerHooks) modules.registerHooks(await import('./typescript-hooks.mjs'));
else modules.register('./typescript-hooks.mjs', import.meta.url);
