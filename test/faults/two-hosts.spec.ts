import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaseDocument } from '../../src/platform/mongo/lease.service.js';
import { ObjectId } from 'mongodb';
import { POST_DELETED } from '../../src/posts/posts.topics.js';
import { useDatabase } from '../support/mongo.js';
import { freePorts } from '../support/server-process.js';
import { ensureBuilt, SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';

const OUTBOX_LEASE = 'job:outbox';

/** Two primaries on one database, as on two machines. */
describe('two hosts', () => {
  const database = useDatabase();
  const hosts: SpawnedHost[] = [];

  beforeAll(async () => {
    ensureBuilt();
    for (const port of await freePorts(20_000, 2)) {
      const host = new SpawnedHost('dist/src/main.js', {
        MONGODB_URI: database.uri,
        MONGODB_DATABASE: database.dbName,
        AUTH_TOKEN_SECRET: 'x'.repeat(40),
        HTTP_PORT: String(port),
        ENGAGEMENT_INTERVAL_MINUTES: '1',
      });
      hosts.push(host);
      host.start();
      await host.url();
    }
  });
  afterAll(async () => {
    for (const host of hosts) await host.remove();
  });

  const lease = () => database.db.collection<LeaseDocument>('leases').findOne({ _id: OUTBOX_LEASE });
  const pidOf = ({ holder }: LeaseDocument): number => Number(holder.split(':').at(-2));
  /** Deleted posts of which nothing is left, in no way special: some twenty writes and reads each, 25 ms on an idle machine. */
  const leaveWork = (count: number) =>
    database.db.collection('outbox').insertMany(
      Array.from({ length: count }, () => ({
        ...{ topic: POST_DELETED.name, payload: new ObjectId(), createdAt: new Date(Date.now() - 120_000) },
        ...{ stage: 'background', attempts: 0, retryAt: null, lastError: null },
      })),
    );

  it('work off the outbox under one lease, and the other goes on when the one is killed', async () => {
    await leaveWork(500);
    const first = await until(lease);
    expect(hosts.flatMap((host) => host.workers('jobs'))).toContain(pidOf(first));
    for (let look = 0; look < 20; look++) {
      // who holds it keeps it while there is work: one token, one holder
      expect(await lease()).toMatchObject({ holder: first.holder, token: first.token });
      await sleep(50);
    }
    process.kill(pidOf(first), 'SIGKILL');
    const second = await until(
      async () => {
        const now = (await lease())!;
        return now.token > first.token ? now : null;
      },
      () => 'no process works on it any more',
    );
    expect(pidOf(second)).not.toBe(pidOf(first));
    const countLeft = () => database.db.collection('outbox').countDocuments({ stage: { $exists: true } });
    // how long it takes says how busy the machine is; that it goes on is what matters
    for (let left = await countLeft(); left > 0;) {
      left = await until(
        async () => {
          const now = await countLeft();
          return now < left ? now : null;
        },
        () => `nothing was done for 30 s, ${left} rows were left`,
      );
    }
  });

  it('have one score job between them', async () => {
    const epochs = database.db.collection<{ _id: string; epoch: number }>('score_epochs');
    const row = await until(() => epochs.findOne({ epoch: { $gt: 0 } }));
    await sleep(5_000);
    // a second run within the interval would have moved it on
    expect((await epochs.findOne({ _id: row._id }))!.epoch - row.epoch).toBeLessThanOrEqual(1);
  });
});
