import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadPlan, Measurement } from './load-plan.js';
import type { ProcessRegistry } from './process-registry.js';

type Reply =
  | { type: 'tick'; requests: number }
  | { type: 'done'; measurements: Measurement[] }
  | { type: 'failed'; message: string };

/** Runs one plan in a fresh process. */
export async function generateLoad(
  plan: LoadPlan,
  registry: ProcessRegistry,
  onTick: (requests: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Measurement[]> {
  const script = fileURLToPath(new URL('./generator.child.js', import.meta.url));
  const child = fork(script, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const entry = {
    name: 'load generator',
    pid: child.pid ?? null,
    stop: async () => {
      child.kill('SIGKILL');
    },
  };
  registry.add(entry);
  signal?.addEventListener('abort', () => child.kill('SIGKILL'));
  try {
    return await new Promise<Measurement[]>((resolve, reject) => {
      child.on('message', (message) => {
        const reply = message as Reply;
        switch (reply.type) {
          case 'tick':
            return onTick(reply.requests);
          case 'done':
            return resolve(reply.measurements);
          case 'failed':
            return reject(new Error(`The load generator failed: ${reply.message}`));
        }
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`The load generator ended early (${code ?? 'signal'}).`)));
      child.send(plan);
    });
  } finally {
    registry.remove(entry);
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
  }
}
