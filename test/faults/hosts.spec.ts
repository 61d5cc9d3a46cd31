import { ObjectId } from 'mongodb';
import type { LeaseDocument } from '../../src/platform/mongo/lease.service.js';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { KilledCommits } from '../support/killed-commits.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { scale } from '../support/scale.js';
import { publish, useServer } from '../support/server.js';
import { UnreliableNetwork } from '../support/unreliable-network.js';
import { until, untilNone } from '../support/until.js';
import { VisibleChanges } from '../support/visible-changes.js';
import { WithholdingProxy } from '../support/withholding-proxy.js';

const WORKERS = 2;
/** Time for which a process trusts its cache and its tokens after its last received event. */
const BOUND_MS = 1_500;
const KILLS = scale('hostsKills');
/** Fewer than the connections of one web worker, because other reads of a request need a connection, too. */
const EDITS = 12;

describe('two hosts', () => {
  let proxy: WithholdingProxy;
  let network: UnreliableNetwork;
  beforeAll(async () => {
    proxy = await WithholdingProxy.start({ uri: process.env.TEST_MONGODB_URI! });
    network = await UnreliableNetwork.start(proxy);
  });
  // The second host reaches the database through both proxies.
  const server = useServer({
    processes: WORKERS,
    jobs: true,
    hosts: 2,
    environment: {
      // Each of many edits holds a connection until its host is killed.
      MONGODB_POOL_SIZE: '400',
      // An event invalidates a response, not its age.
      CACHE_FEED_TTL_MS: '600000',
      ENGAGEMENT_INTERVAL_MINUTES: '1',
      // Stopped processes are not replaced.
      PROCESS_SILENCE_TIMEOUT_MS: '120000',
    },
    others: () => ({ MONGODB_URI: network.uri }),
  });
  afterAll(async () => {
    await network.close();
    await proxy.close();
  });
  let startedAt: number;
  let pinned: Pinned[];
  beforeAll(async () => {
    startedAt = performance.now();
    pinned = await pinToEach(await server.hosts[1]!.url(), WORKERS);
  });
  afterAll(() => {
    for (const { client } of pinned) client.close();
  });

  const getAll = (path: string) => Promise.all(pinned.map(({ client }) => client.send({ method: 'GET', path })));
  const edit = async (id: string, title: string): Promise<void> => {
    const { status } = await server.client.patch(`/v1/posts/${id}`, { token: server.author.token, body: { title } });
    expect(status).toBe(200);
  };
  /** Resolves when every process of the second host shows the title, as fresh. */
  const untilShown = (id: string, title: string) =>
    until(async () => {
      const seen = await getAll(`/v1/posts/${id}`);
      return seen.every(({ text, headers }) => text.includes(`"${title}"`) && headers['warning'] === undefined) || null;
    });
  /** Creates a post that every process of the second host has cached. */
  const cachedPost = async (title: string): Promise<string> => {
    const { id } = await publish(server, { title });
    await until(async () => {
      const seen = await getAll(`/v1/posts/${id}`);
      return seen.every(({ headers }) => headers['x-cache'] === 'HIT') || null;
    });
    return id;
  };

  it('a change at one host is shown by the other, and the old state never again', async () => {
    const changes = await VisibleChanges.at(server, await server.hosts[1]!.url(), WORKERS);
    for (let round = 0; round < scale('hostsInvalidationRounds'); round++) await changes.round(round);
    changes.close();
    expect(changes.relapses).toBe(0);
  });

  it.each(['a sign-in', 'an account'])('%s that ended at one host cannot vote at the other', async (what) => {
    const { client } = server;
    const path = `/v1/posts/${(await publish(server)).id}/vote`;
    const { token, refreshToken } = await signUp(client);
    const counts = { before: 0, late: 0 };
    let endedAt = Infinity;
    const vote = async ({ client: voter }: Pinned): Promise<void> => {
      for (let turn = 0; ; turn++) {
        const beganAt = performance.now();
        const body = { value: turn % 2 === 0 ? 'like' : 'dislike' };
        const { status } = await voter.send({ method: 'PUT', path, token, body });
        if (status === 401) return;
        expect(status).toBe(200);
        counts[beganAt > endedAt + BOUND_MS ? 'late' : 'before']++;
      }
    };
    const voting = Promise.all(pinned.map(vote));
    await until(() => counts.before > 10 || null);
    const { status } = await (what === 'a sign-in'
      ? client.post('/v1/auth/logout', { body: { refreshToken } })
      : client.delete('/v1/users/me', { token, body: { password: TEST_PASSWORD } }));
    expect(status).toBe(204);
    endedAt = performance.now();
    await voting;
    expect(counts.late).toBe(0);
  });

  it('an edit is shown although the process that listens for the other host was killed', async () => {
    const other = server.hosts[1]!;
    for (const title of ['First', 'Second']) {
      const id = await cachedPost('Before the kill');
      const [pid] = other.workers('jobs');
      process.kill(pid!, 'SIGKILL');
      await edit(id, title);
      await until(() => other.readyWorkers('jobs').some((one) => one !== pid) || null);
      await untilShown(id, title);
    }
  });

  it('an edit is shown while the listening process is stopped', async () => {
    const id = await cachedPost('Before the pause');
    const [pid] = server.hosts[1]!.workers('jobs');
    process.kill(pid!, 'SIGSTOP');
    try {
      for (const title of ['First', 'Second']) {
        await edit(id, title);
        // Cached responses expire after ten minutes.
        await untilShown(id, title);
      }
    } finally {
      process.kill(pid!, 'SIGCONT');
    }
  });

  it('a response that cannot be renewed is marked as stale while the database is unreachable', async () => {
    const path = `/v1/posts/${await cachedPost('Old')}`;
    network.vanish();
    try {
      await edit(path.slice(-24), 'New');
      await until(async () => (await getAll(path)).every(({ headers }) => headers['warning'] !== undefined) || null);
      for (let look = 0; look < 20; look++) {
        const seen = await getAll(path);
        expect(seen.map(({ status, headers }) => [status, headers['warning']])).toEqual(
          pinned.map(() => [200, '111 - "Revalidation Failed"']),
        );
      }
    } finally {
      network.appear();
    }
    await untilShown(path.slice(-24), 'New');
  });

  it('tasks run under one lease, and on the other host after a kill', async () => {
    const { db, hosts } = server;
    const leases = db.collection<LeaseDocument>('leases');
    const lease = async () => (await leases.findOne({ _id: 'tasks' }))!;
    const countLeft = () => db.collection('tasks').countDocuments({ dueAt: { $lte: new Date() } });
    const pidOf = ({ holder }: LeaseDocument): number => Number(holder.split(':').at(-2));
    const workers = (): number[] => hosts.flatMap((host) => host.workers('jobs'));
    await untilNone(countLeft, 'rows');
    // A run that has not ended would run the new rows, too.
    await until(async () => (await lease()).expiresAt <= new Date() || null);
    // The cleanup of each deleted post takes some twenty writes and reads.
    const dueAt = new Date(Date.now() - 120_000);
    const todo = { dueAt, runAt: dueAt, lane: 'background', attempts: 0, lastError: null };
    const rows = Array.from({ length: 400 }, () => ({ topic: POST_DELETED.name, payload: new ObjectId(), ...todo }));
    const { token: before } = await lease();
    await db.collection('tasks').insertMany(rows);
    const first = await until(async () => {
      const now = await lease();
      return now.token > before && workers().includes(pidOf(now)) ? now : null;
    });
    const holders = new Set<string>();
    while ((await countLeft()) > 300) {
      const { holder, token } = await lease();
      holders.add(`${holder} ${token}`);
    }
    expect([...holders]).toEqual([`${first.holder} ${first.token}`]);
    process.kill(pidOf(first), 'SIGKILL');
    const second = await until(async () => {
      const now = await lease();
      return now.token > first.token ? now : null;
    });
    expect(pidOf(second)).not.toBe(pidOf(first));
    await untilNone(countLeft, 'rows');
  });

  it('a host that is killed between its commits and its messages loses no invalidation', async () => {
    const readers = await pinToEach(server.url, WORKERS);
    const commits = await KilledCommits.of(server, { readers, proxy, edits: EDITS });
    for (let round = 0; round < KILLS; round++) await commits.round(server.hosts[1]!, `Before kill ${round}`);
    for (const { client } of readers) client.close();
  });

  it('the scores are computed by one of them, once a minute', async () => {
    const epochs = server.db.collection<{ _id: string; epoch: number }>('score_epochs');
    const { epoch } = await until(() => epochs.findOne({ epoch: { $gt: 0 } }));
    expect(epoch).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / 60_000));
  });
});
