// A thread of the pool loads this: it has no hooks for TypeScript by itself.
import '../runner/register-hooks.mjs';

export const { run } = await import('./pool-task.ts');
