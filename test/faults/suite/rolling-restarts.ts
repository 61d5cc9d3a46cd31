import type { SpawnedHost } from '../../support/spawned-host.js';
import { until } from '../../support/until.js';
import { KeepAliveLoad, type LoadKind, type LoadReport } from './keep-alive-load.js';

export type RollingReport = LoadReport & { restarts: number; hosts: number; connections: number; seconds: number };

export type RollingOptions = {
  /** Hosts that restart one after the other. */
  hosts: SpawnedHost[];
  url: string;
  restarts: number;
  connections: number;
  kinds: LoadKind[];
};

/** Minimum for each kind, on any machine. */
const LEAST_REQUESTS = 50;

/** Hot and cold reads and writes of one account on one post. */
export function readsAndWrites(token: string, postId: string): LoadKind[] {
  return [
    { name: 'hot feed', request: () => ({ method: 'GET', path: '/v1/feed?limit=20' }) },
    // This list is not cached.
    {
      name: 'own posts',
      request: (turn) => ({ method: 'GET', path: `/v1/posts/mine?limit=${1 + (turn % 20)}`, token }),
    },
    { name: 'hot post', request: () => ({ method: 'GET', path: `/v1/posts/${postId}` }) },
    {
      name: 'vote',
      request: (turn) => ({
        method: 'PUT',
        path: `/v1/posts/${postId}/vote`,
        token,
        body: { value: turn % 8 < 4 ? 'like' : 'dislike' },
      }),
    },
  ];
}

/** Restarts running servers repeatedly while clients send requests over kept connections. */
export async function restartUnderLoad({
  hosts,
  url,
  restarts,
  connections,
  kinds,
}: RollingOptions): Promise<RollingReport> {
  const done = ({ output }: SpawnedHost): number => output.match(/Restarted \d+ processes/g)?.length ?? 0;
  const load = new KeepAliveLoad(url, kinds, connections);
  const startedAt = performance.now();
  try {
    for (let round = 0; round < restarts; round++) {
      const host = hosts[round % hosts.length]!;
      const before = done(host);
      host.signal('SIGUSR2');
      await until(
        () => (done(host) > before ? true : null),
        () => `rolling restart ${round + 1} did not end:\n${host.output.slice(-2_000)}`,
      );
    }
    await load.untilSent(LEAST_REQUESTS);
  } finally {
    await load.stop();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { ...(await load.stop()), restarts, hosts: hosts.length, connections, seconds };
}

/** Returns a line for the terminal and the page. */
export function rollingLine({ restarts, hosts, connections, seconds, ...report }: RollingReport): string {
  const requests = Object.values(report.requests).reduce((sum, count) => sum + count, 0);
  const ends = `${report.announced} connections ended with \`Connection: close\`, ${report.unannounced} without`;
  return `${restarts} rolling restarts${hosts > 1 ? ` of ${hosts} hosts` : ''} in ${seconds.toFixed(0)} s, ${connections} kept connections: ${requests} requests, ${report.failures.length} failed; ${ends}; slowest answer ${(report.slowestMs / 1_000).toFixed(2)} s`;
}
