import { setTimeout as sleep } from 'node:timers/promises';
import { signUp } from '../support/accounts.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { freePorts } from '../support/server-process.js';
import { publish, startBeside, useServer } from '../support/server.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { hostsMsOf } from '../support/two-hosts.js';
import { HttpClient } from './suite/http-client.js';

const WORKERS = 2;
const STARTS = 2;
/** A host that knows another one trusts what it has cached for half of this without a sign of life. */
const TRUST_MS = 3_000;

describe('a process that starts', () => {
  const environment = {
    // what stands still is not replaced meanwhile
    PROCESS_SILENCE_TIMEOUT_MS: '120000',
    // a response is outdated by an event, and not by its age
    CACHE_FEED_TTL_MS: '600000',
  };
  const server = useServer({ processes: WORKERS, jobs: true, environment });

  /** Runs `work` with a connection to each web process of the host, one of them just replaced, while its jobs process is stopped. */
  async function whileDeaf(host: SpawnedHost, url: string, work: (pinned: Pinned[]) => Promise<void>): Promise<void> {
    const [jobs] = host.workers('jobs');
    const before = host.workers('web');
    process.kill(jobs!, 'SIGSTOP');
    let pinned: Pinned[] = [];
    try {
      process.kill(before[0]!, 'SIGKILL');
      await until(() => host.readyWorkers('web').find((pid) => !before.includes(pid)));
      pinned = await pinToEach(url, WORKERS);
      await work(pinned);
    } finally {
      process.kill(jobs!, 'SIGCONT');
      for (const { client } of pinned) client.close();
    }
  }

  it('trusts its cache where its host is alone, although no process listens', async () => {
    await whileDeaf(server.host, server.url, async (pinned) => {
      const path = `/v1/posts/${(await publish(server)).id}`;
      const getAll = () => Promise.all(pinned.map(({ client }) => client.send({ method: 'GET', path })));
      await getAll();
      await sleep(TRUST_MS);
      expect((await getAll()).map(({ headers }) => headers['x-cache'])).toEqual(pinned.map(() => 'HIT'));
    });
  });

  it('gives nothing that was withdrawn at another host, although no process listens', async () => {
    const other = await startBeside(server);
    const look = async (pinned: Pinned[], path: string, token?: string): Promise<number[]> =>
      Promise.all(pinned.map(async ({ client }) => (await client.send({ method: 'GET', path, token })).status));
    try {
      await whileDeaf(other, await other.url(), async (pinned) => {
        const { client, author } = server;
        const post = await publish(server);
        const someone = await signUp(client);
        const statuses = async () => [
          ...(await look(pinned, `/v1/posts/${post.id}`)),
          ...(await look(pinned, '/v1/auth/me', someone.token)),
        ];
        // each of them has cached both
        for (let times = 0; times < 3; times++) expect(await statuses()).toEqual([200, 200, 200, 200]);
        await client.delete(`/v1/posts/${post.id}`, { token: author.token });
        await client.delete('/v1/auth/sessions', { token: someone.token });
        await until(
          async () => (await statuses()).join() === '404,404,401,401' || null,
          () => 'what was withdrawn is still given',
        );
        for (const one of pinned) {
          const path = `/v1/posts/${(await publish(server)).id}`;
          const { headers } = await one.client.send({ method: 'DELETE', path, token: author.token });
          expect(hostsMsOf(new Headers(headers as Record<string, string>))).toBeGreaterThan(0);
        }
      });
    } finally {
      await other.remove();
    }
  });

  it('serves only once the other hosts know it', async () => {
    for (let count = 0; count < STARTS; count++) {
      const [port] = await freePorts(1);
      const { DATA_DIR: _, ...settings } = server.host.childEnvironment({ HTTP_PORT: String(port) });
      const other = new SpawnedHost('dist/bundle/main.js', settings as Record<string, string>);
      const client = new HttpClient(`http://localhost:${port}`);
      const { id } = await publish(server);
      const get = () =>
        client.send({ method: 'GET', path: `/v1/posts/${id}` }).then(
          ({ status }) => status,
          () => undefined,
        );
      try {
        other.start();
        // it comes last, as it may on a busy machine
        const jobs = await until(() => other.workers('jobs')[0]);
        process.kill(jobs, 'SIGSTOP');
        await sleep(1_000);
        process.kill(jobs, 'SIGCONT');
        await until(async () => (await get()) === 200 || null);
        const { headers } = await server.client.delete(`/v1/posts/${id}`, { token: server.author.token });
        // one that has not said in time that it knows is not waited for
        const isUnheard = hostsMsOf(headers) >= 300;
        expect([404, ...(isUnheard ? [200] : [])]).toContain(await get());
        await other.url();
      } finally {
        client.close();
        await other.remove();
      }
    }
  });
});
