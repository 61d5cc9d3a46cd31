import { spawn } from 'node:child_process';
import { once } from 'node:events';

describe('the database of the search index', () => {
  it.each(['closed', 'left open'])('never reads freed memory of a database that is %s', async (state) => {
    // A read of this byte in freed memory would say "an open connection", and the next step would follow freed pointers.
    const SQLITE_STATE_OPEN = 0x76;
    const env = { MALLOC_PERTURB_: String(SQLITE_STATE_OPEN), GLIBC_TUNABLES: 'glibc.malloc.tcache_count=0' };
    const close = state === 'closed' ? 'database.close();' : '';
    const program = `import { DatabaseSync } from '@photostructure/sqlite';
      const database = new DatabaseSync(':memory:'); database.exec('SELECT 1'); ${close}`;

    const ended = await run(['--input-type=module', '-e', program], env);

    expect(ended).toEqual({ code: 0, signal: null, stderr: '' });
  });
});

async function run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<object> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stderr };
}
