import type { DataDirectory } from './data-directory.js';

export const REPLICA_SET_NAME = 'rs0';

const PARAMETERS = {
  // The default of 15 s waits for clients of a rolling restart, but here the clients stop with mongod.
  shutdownTimeoutMillisForSignaledShutdown: '100',
  diagnosticDataCollectionEnabled: 'false',
  // In seconds; mongod may need half as long again. Our transactions take at most 10 s; the default of 60 locks rows for up to 89 s.
  transactionLifetimeLimitSeconds: '20',
  // Seconds of history for snapshot reads, which only a backup needs. With the default of 300, votes become more expensive by the minute.
  minSnapshotHistoryWindowInSeconds: '0',
};

/**
 * Dirty pages may fill half of the cache, not a twentieth: otherwise a page that changes repeatedly is written each time, which was two
 * fifths of the cost of spread votes. Recovery needs only the journal.
 */
const DIRTY_PAGES = 'eviction_dirty_target=50,eviction_dirty_trigger=70';

export type MongodSettings = {
  /** upper bound of WiredTiger's cache; the server uses this and some 200 MB more */
  cacheSizeGB?: number;
  /** further `--setParameter` settings; tests enable fail points with them */
  parameters?: Record<string, string>;
};

/**
 * Returns the arguments besides port, address and data. With the library's `replSet`, its `stop` would sign in instead of sending a signal.
 */
export function mongodArguments(directory: DataDirectory, { cacheSizeGB = 1, parameters }: MongodSettings): string[] {
  return [
    ...['--replSet', REPLICA_SET_NAME, '--keyFile', directory.passwordFile, '--nounixsocket'],
    ...['--logpath', directory.logFile, '--logappend', '--quiet', '--oplogSize', '1024'],
    ...['--wiredTigerCacheSizeGB', String(cacheSizeGB), '--wiredTigerEngineConfigString', DIRTY_PAGES],
    ...Object.entries({ ...PARAMETERS, ...parameters }).flatMap(([name, value]) => [
      '--setParameter',
      `${name}=${value}`,
    ]),
  ];
}
