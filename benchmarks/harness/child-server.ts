import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { MemoryGroup } from './memory-group.js';
import { killTree, type ProcessRegistry } from './process-registry.js';

export type ChildServerOptions = {
  name: string;
  /** default: node */
  program?: string;
  /** Its arguments; of node, a script and its arguments. `{port}` stands for the port of the server. */
  args: string[];
  /** Complete environment, because no setting of the reader's own shell may reach a subject. */
  env: Record<string, string>;
  /** Directory of `.env`; default: the current one. */
  cwd?: string;
  /** Path that responds with 200 when the server is ready. */
  readyPath: string;
  startTimeoutMs?: number;
  /** The kernel ends processes of the server that exceed the memory of this group. */
  memory?: MemoryGroup;
};

const STOP_TIMEOUT_MS = 15_000;

/** A server in its own process (tree). A failure shows the end of its stored output. */
export class ChildServer {
  private output = '';
  private hasEnded = false;

  private constructor(
    readonly name: string,
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly registry: ProcessRegistry,
  ) {}

  static async start(options: ChildServerOptions, registry: ProcessRegistry): Promise<ChildServer> {
    const port = await freePort();
    const args = options.args.map((argument) => argument.replace('{port}', String(port)));
    const env = Object.fromEntries(
      Object.entries(options.env).map(([key, value]) => [key, value.replace('{port}', String(port))]),
    );
    // The child has its own process group, so Ctrl-C reaches only the benchmark, which then stops its children in order.
    const command = [...(options.memory?.command ?? []), options.program ?? process.execPath, ...args];
    const child = spawn(command[0]!, command.slice(1), {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(options.cwd ? { cwd: options.cwd } : {}),
    });
    const server = new ChildServer(options.name, `http://127.0.0.1:${port}`, child, registry);
    const keep = (chunk: Buffer) => (server.output = (server.output + chunk.toString()).slice(-8_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // Unlike `exit`, `close` comes after the last output.
    child.once('close', () => (server.hasEnded = true));
    child.once('error', () => (server.hasEnded = true));
    registry.add(server);
    await server.waitUntilReady(options.readyPath, options.startTimeoutMs ?? 60_000);
    return server;
  }

  get pid(): number | null {
    return this.child.pid ?? null;
  }

  get isRunning(): boolean {
    return !this.hasEnded;
  }

  get lastOutput(): string {
    return this.output.trim();
  }

  async stop(): Promise<void> {
    this.registry.remove(this);
    if (this.hasEnded || this.child.pid === undefined) return;
    const pid = this.child.pid;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => killTree(pid), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  }

  private async waitUntilReady(path: string, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (this.hasEnded)
        throw new Error(`${this.name} ended before it was ready. Its last output:\n${this.lastOutput}`);
      const answer = await fetch(this.url + path, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await this.stop();
    throw new Error(`${this.name} was not ready after ${timeoutMs / 1000} s. Its last output:\n${this.lastOutput}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
