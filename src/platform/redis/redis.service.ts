import { Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { within } from '../../common/within.js';
import { exportGauge, histogram } from '../prometheus/metric.js';
import { CONNECT_TIMEOUT_MS, REDIS_OPTIONS } from './redis-connection.js';

type Target = { url: string | undefined; keyPrefix: string };

/** The interval of logged failures; all failures are counted. */
const LOG_EVERY_MS = 10_000;

/**
 * The Redis connection of this process, if REDIS_URL is set. While Redis is down, `run` returns undefined and the caller works as on a
 * single host.
 */
export class RedisService implements OnModuleDestroy {
  private readonly logger = new Logger('Redis');
  private readonly onUps: (() => void)[] = [];
  private seconds: ReturnType<typeof commandSeconds> | undefined;
  private loggedAt = -Infinity;
  private isClosed = false;

  private constructor(private readonly client: Redis | undefined) {
    if (client === undefined) return;
    this.seconds = commandSeconds();
    exportGauge({
      name: 'opencanvas_redis_up',
      help: '1 if every process of the host is connected to Redis',
      aggregator: 'min',
      read: () => Number(this.isUp),
    });
    let wasUp = false;
    client.on('ready', () => {
      this.logger.log(wasUp ? 'Redis is connected again' : 'Redis is connected');
      wasUp = true;
      for (const onUp of this.onUps) onUp();
    });
    client.on('close', () => {
      if (wasUp && !this.isClosed)
        this.report('Redis is disconnected; this host uses its own limits and cache until it is connected again');
    });
  }

  /** Resolves when Redis is available, or after a timeout. Without a URL the client is not loaded. */
  static async open({ url, keyPrefix }: Target): Promise<RedisService> {
    if (url === undefined) return new RedisService(undefined);
    const { Redis } = await import('ioredis');
    const client = new Redis(url, { ...REDIS_OPTIONS, keyPrefix });
    // Callers handle each failure. Without a listener the client would also log it.
    client.on('error', () => undefined);
    const redis = new RedisService(client);
    await within(
      2 * CONNECT_TIMEOUT_MS,
      client.connect().catch(() => undefined),
    );
    return redis;
  }

  get isUp(): boolean {
    return this.client?.status === 'ready';
  }

  /** Calls `then` after each reconnect. */
  onUp(then: () => void): void {
    this.onUps.push(then);
  }

  /**
   * Returns the reply of Redis, or undefined when Redis is down, slow (250 ms) or returns an error. Commands of the same tick share a round
   * trip.
   * @param name of the operation, for metrics
   */
  async run<T>(name: string, send: (client: Redis) => Promise<T>): Promise<T | undefined> {
    if (!this.isUp) return undefined;
    const end = this.seconds!.startTimer({ command: name });
    try {
      const reply = await send(this.client!);
      end({ outcome: 'ok' });
      return reply;
    } catch (error) {
      end({ outcome: 'failed' });
      if (!this.isClosed) this.report(`${name} failed: ${String(error)}`);
      return undefined;
    }
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    this.client?.disconnect();
  }

  private report(line: string): void {
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY_MS) return;
    this.loggedAt = now;
    this.logger.warn(line);
  }
}

function commandSeconds() {
  return histogram({
    name: 'opencanvas_redis_command_seconds',
    help: 'Duration of Redis commands, by operation',
    labelNames: ['command', 'outcome'] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  });
}
