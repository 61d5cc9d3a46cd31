import type { RedisOptions } from 'ioredis';

export const CONNECT_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 250;
/** A server that does not reply for this long counts as lost, so that commands stop going to one that hangs. */
const SOCKET_TIMEOUT_MS = 1_000;
const LONGEST_RETRY_MS = 1_000;

/** Every wait is bounded, and no command waits for a connection: all callers work without Redis. */
export const REDIS_OPTIONS = {
  lazyConnect: true,
  enableAutoPipelining: true,
  enableOfflineQueue: false,
  // a command whose connection broke is not sent again, because it has timed out
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  retryStrategy: (attempt: number): number => Math.min(LONGEST_RETRY_MS, 50 * 2 ** Math.min(attempt, 10)),
} as const satisfies RedisOptions;
