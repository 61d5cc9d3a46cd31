import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaseDocument } from '../../src/platform/mongo/lease.service.js';
import { useDatabase } from '../support/mongo.js';
import { ensureBuilt, SpawnedHost, until } from '../support/spawned-host.js';

const LEASES = ['job:score', 'job:sweeper'];

/** Two primaries on one database, as on two machines. */
describe('two hosts', () => {
  const database = useDatabase();
  const hosts: SpawnedHost[] = [];

  beforeAll(async () => {
    ensureBuilt();
    for (let at = 0; at < 2; at++) {
      const host = new SpawnedHost('dist/src/main.js', {
        MONGODB_URI: database.uri,
        MONGODB_DATABASE: database.dbName,
        AUTH_TOKEN_SECRET: 'x'.repeat(40),
        HTTP_PORT: String(41_000 + (process.pid % 2_000) * 2 + at),
        ENGAGEMENT_INTERVAL_MINUTES: '1',
      });
      hosts.push(host);
      host.start();
      await host.url();
    }
  }, 360_000);
  afterAll(async () => {
    for (const host of hosts) await host.remove();
  });

  const holdersOf = async (name: string): Promise<string[]> => {
    const holders: string[] = [];
    for (let look = 0; look < 100; look++) {
      const lease = await database.db.collection<LeaseDocument>('leases').findOne({ _id: name });
      // a lease that ran out or was given back is nobody's
      if (lease !== null && lease.expiresAt > new Date()) holders.push(`${lease.holder} ${lease.token}`);
      await sleep(20);
    }
    return holders;
  };

  it('sweep and score by turns under one lease each, with a token that never goes back', async () => {
    const lease = (name: string) => database.db.collection<LeaseDocument>('leases').findOne({ _id: name });
    await until(async () => ((await lease(LEASES[1]!)) === null ? null : true), 20_000);
    const seen = await holdersOf(LEASES[1]!);
    const tokens = seen.map((line) => Number(line.split(' ').at(-1)));
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
    // one token is one holder: never two at the same time
    const holders = new Map<number, Set<string>>();
    for (const line of seen) {
      const token = Number(line.split(' ').at(-1));
      holders.set(token, (holders.get(token) ?? new Set()).add(line));
    }
    expect([...holders.values()].every((names) => names.size === 1)).toBe(true);
  }, 60_000);

  it('go on with the work when the jobs process of one of them is killed', async () => {
    const victim = hosts[0]!.workers('jobs')[0]!;
    process.kill(victim, 'SIGKILL');
    const before = (await database.db.collection<LeaseDocument>('leases').findOne({ _id: LEASES[1]! }))!.token;
    await until(
      async () => {
        const lease = await database.db.collection<LeaseDocument>('leases').findOne({ _id: LEASES[1]! });
        return lease!.token > before ? true : null;
      },
      60_000,
      () => 'nobody sweeps any more',
    );
    await until(() => (hosts[0]!.workers('jobs').length === 1 ? true : null), 20_000);
  }, 90_000);
});
