import type { DataDirectory } from './data-directory.js';

export const REPLICA_SET_NAME = 'rs0';

const PARAMETERS = {
  // the default of 15 s waits for clients of a rolling restart; here the clients stop with us
  shutdownTimeoutMillisForSignaledShutdown: '100',
  diagnosticDataCollectionEnabled: 'false',
  // seconds; mongod needs up to half as long again. Our transactions take at most ten; the default of 60 locks rows for up to 89 s
  transactionLifetimeLimitSeconds: '20',
  // seconds of history for snapshot reads, which do not exist here; with the default of 300, votes become more expensive by the minute
  minSnapshotHistoryWindowInSeconds: '0',
};

/**
 * Dirty pages may fill half of the cache, not a twentieth: otherwise a page that changes repeatedly is written each time, which was
 * two fifths of the cost of spread votes. Recovery needs the journal only.
 */
const DIRTY_PAGES = 'eviction_dirty_target=50,eviction_dirty_trigger=70';

export type MongodSettings = {
  /** upper bound of WiredTiger's cache; the server uses this and some 200 MB more */
  cacheSizeGB?: number;
  /** further `--setParameter` settings; the tests enable fail points with it */
  parameters?: Record<string, string>;
};

/** The arguments besides port, address and data. With the library's `replSet`, its `stop` would sign in instead of sending a signal. */
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
