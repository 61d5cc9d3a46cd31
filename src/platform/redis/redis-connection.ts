import type { RedisOptions } from 'ioredis';
import { StartupError } from '../../common/errors.js';

export const CONNECT_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 250;
/** A server without a reply within this time counts as lost, so that commands to a hung server stop. */
const SOCKET_TIMEOUT_MS = 1_000;
const MAX_RETRY_DELAY_MS = 1_000;

/** Every wait is bounded, and no command waits for a connection: all callers work without Redis. */
export const REDIS_OPTIONS = {
  lazyConnect: true,
  enableAutoPipelining: true,
  enableOfflineQueue: false,
  // A command is not resent after its connection broke, because the command has timed out.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  retryStrategy: (attempt: number): number => Math.min(MAX_RETRY_DELAY_MS, 50 * 2 ** Math.min(attempt, 10)),
} as const satisfies RedisOptions;

/**
 * Logs at the start of a host that Redis does not respond, with instructions. The host works without Redis.
 * @throws StartupError when Redis refuses the login, because waiting cannot fix that
 */
export async function checkRedis(url: string, log: (line: string) => void): Promise<void> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, { ...REDIS_OPTIONS, commandTimeout: CONNECT_TIMEOUT_MS, retryStrategy: () => null });
  const reasons: string[] = [];
  client.on('error', (error: Error) => reasons.push(error.message));
  const host = `${client.options.host}:${client.options.port}`;
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    const reason = reasons[0] ?? (error as Error).message;
    if (/WRONGPASS|NOAUTH|NOPERM|invalid password/i.test(reason)) {
      throw new StartupError(`Redis at ${host} refused the user name or the password in REDIS_URL: ${reason}.`, error);
    }
    log(
      `Redis does not respond at ${host} (${reason}). This host works without it, with rate limits of its own: ` +
        'start one (apt-get install redis-server, or docker run -p 6379:6379 redis:7), check REDIS_URL, or unset it.',
    );
  } finally {
    client.disconnect();
  }
}
