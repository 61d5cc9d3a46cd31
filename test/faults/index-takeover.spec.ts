import type { LeaseDocument } from '../../src/platform/mongo/lease.service.js';
import { createClient, type TestClient } from '../support/client.js';
import { OpenSearchServer } from '../support/opensearch/opensearch-server.js';
import { describeWith } from '../support/optional.js';
import { publish, useServer } from '../support/server.js';
import { until } from '../support/until.js';

describeWith('opensearch', 'the index of two hosts', (libs) => {
  const search = new OpenSearchServer(libs);
  beforeAll(() => search.start());
  afterAll(() => search.remove());
  const environment = () => ({ SEARCH: 'opensearch', OPENSEARCH_URL: search.url, OPENSEARCH_INDEX_PREFIX: 'takeover' });
  const server = useServer({ hosts: 2, environment });

  const clientAt = async (at: number): Promise<TestClient> => createClient(await server.hosts[at]!.url());
  const readLease = async (): Promise<LeaseDocument | null> =>
    server.db.collection<LeaseDocument>('leases').findOne({ _id: /^search:/ });
  const databaseTime = async (): Promise<number> => Number((await server.db.command({ hello: 1 }))['localTime']);
  /** Returns -1 if no host has the lease. */
  const hostOf = (lease: LeaseDocument | null): number =>
    server.hosts.findIndex((host) => host.processes().some(({ pid }) => lease?.holder.split(':')[1] === String(pid)));
  /** Publishes a post with this word, and waits until a search finds it. */
  const untilFound = async (client: TestClient, word: string): Promise<void> => {
    const { id } = await publish({ client, author: server.author }, { title: word });
    await until(async () => {
      const { status, body } = await client.get(`/v1/search?kind=posts&q=${word}`);
      return (status === 200 && body.data.posts[0]?.id === id) || null;
    });
  };

  it.each(['SIGTERM', 'SIGKILL'] as const)('is written by the other host after a %s', async (signal) => {
    const at = await until(async () => {
      const found = hostOf(await readLease());
      return found === -1 ? null : found;
    });
    const [host, other] = [server.hosts[at]!, await clientAt(1 - at)];
    await untilFound(other, `before${signal}`);
    const { token } = (await readLease())!;

    host.signal(signal);
    await host.exit();
    const endedAt = performance.now();
    const left = (await readLease())!;
    // A stopped writer releases the lease before it ends. The lease of a killed one must run out.
    if (signal === 'SIGTERM')
      expect(left.token > token || left.expiresAt.getTime() <= (await databaseTime())).toBe(true);
    else expect(left.token).toBe(token);
    await untilFound(other, `after${signal}`);
    console.log(`found ${((performance.now() - endedAt) / 1_000).toFixed(1)} s after a ${signal} of the writer`);
    if (signal === 'SIGKILL') expect(await databaseTime()).toBeGreaterThanOrEqual(left.expiresAt.getTime());
    const next = await readLease();
    expect([next?.token, hostOf(next)]).toEqual([token + 1, 1 - at]);

    host.start();
    await host.url();
  });
});
