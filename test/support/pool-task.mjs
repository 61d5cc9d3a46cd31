// A thread of the pool loads this file, because threads do not inherit the hooks for TypeScript.
import '../runner/register-hooks.mjs';

export const { run } = await import('./pool-task.ts');
