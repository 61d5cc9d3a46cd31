import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryPort } from '../../src/platform/processes/try-port.js';
import { until } from './spawned-host.js';

/** A real redis-server in memory, which may be killed, frozen and started again at the same address. */
export class RedisServer {
  private readonly dir = mkdtempSync(join(tmpdir(), 'opencanvas-redis-'));
  private child: ChildProcess | undefined;
  private port = 0;

  /** @param options further arguments, as of its command line */
  constructor(
    private readonly binary: string,
    private readonly options: string[] = [],
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    // below those that the system gives to outgoing connections: it must be free when it is started again
    for (let port = 24_000 + (process.pid % 3_000); this.port === 0; port++)
      if ((await tryPort('127.0.0.1', port)) === port) this.port = port;
    // prettier-ignore
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.dir];
    this.child = spawn(this.binary, [...settings, ...this.options], { stdio: 'ignore' });
    await until(
      () => this.answers(),
      10_000,
      () => 'redis-server does not listen',
    );
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  freeze(): void {
    this.child!.kill('SIGSTOP');
  }

  thaw(): void {
    this.child!.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private answers(): Promise<true | null> {
    return new Promise((resolve) => {
      const socket = createConnection(this.port, '127.0.0.1', () => socket.write('PING\r\n'));
      const end = (answer: true | null): void => {
        socket.destroy();
        resolve(answer);
      };
      // -NOAUTH is an answer, too
      socket.once('data', () => end(true)).once('error', () => end(null));
    });
  }
}
