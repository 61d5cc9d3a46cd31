import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { REDIS_OPTIONS } from '../../src/platform/redis/redis-connection.js';
import { freePorts, ServerProcess } from './server-process.js';
import { until } from './until.js';

/** Raises the 250 ms timeout of Redis commands for the calling file, because a busy machine may exceed it. */
export function waitForRedis(): void {
  Object.assign(REDIS_OPTIONS, { connectTimeout: 5_000, commandTimeout: 5_000, socketTimeout: 5_000 });
}

/** A real redis-server that stores its data in memory. */
export class RedisServer extends ServerProcess {
  private port = 0;

  /** @param options further command line arguments */
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
    if (this.port === 0) [this.port] = (await freePorts(1)) as [number];
    // prettier-ignore
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.dir];
    rmSync(this.log, { force: true });
    this.spawn(this.binary, [...settings, '--logfile', this.log, ...this.options]);
    const failed = (): string => `redis-server is not ready:\n${this.said}`;
    // Checks its log, because another server may listen at the port.
    const look = (): true | null => {
      if (this.said.includes('Ready to accept connections')) return true;
      if (this.hasEnded) throw new Error(failed());
      return null;
    };
    await until(look, failed);
  }

  /** Deletes all keys. */
  async flush(): Promise<void> {
    const socket = connect(this.port, '127.0.0.1');
    socket.end('FLUSHALL\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    if (!reply.toString().startsWith('+OK')) throw new Error(`FLUSHALL: ${reply.toString()}`);
  }

  private get log(): string {
    return join(this.dir, 'redis.log');
  }

  private get said(): string {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8') : '';
  }
}
