import { createConnection } from 'node:net';
import { REDIS_OPTIONS } from '../../src/platform/redis/redis-options.js';
import { ServerProcess } from './server-process.js';
import { until } from './spawned-host.js';

/** For the file that calls it: a busy machine may not hear an answer within the quarter of a second that a server waits for it. */
export function waitForRedis(): void {
  Object.assign(REDIS_OPTIONS, { connectTimeout: 5_000, commandTimeout: 5_000, socketTimeout: 5_000 });
}

/** A real redis-server in memory. */
export class RedisServer extends ServerProcess {
  private port = 0;

  /** @param options further arguments, as of its command line */
  constructor(
    private readonly binary: string,
    private readonly options: string[] = [],
  ) {
    super('redis');
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    if (this.port === 0) [this.port] = (await this.freePorts(24_000, 1)) as [number];
    // prettier-ignore
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.dir];
    this.spawn(this.binary, [...settings, ...this.options]);
    await until(
      () => this.answers(),
      30_000,
      () => 'redis-server does not listen',
    );
    // whoever answered at the port of a server that could not take it
    if (this.hasEnded) throw new Error(`redis-server could not listen on port ${this.port}`);
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
