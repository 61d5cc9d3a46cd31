import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../src/platform/embedded-mongod/free-port.js';
import { signUp } from '../support/accounts.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { publish, useServed } from '../support/served.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { hostsMsOf, startOther } from '../support/two-hosts.js';
import { HttpClient } from './suite/http-client.js';

const WORKERS = 2;
/** What stands still is not replaced meanwhile. */
const PATIENT = { PROCESS_SILENCE_TIMEOUT_MS: '120000' };
const STARTS = 3;

describe('a web worker that starts while the process that listens stands still', () => {
  const served = useServed({ HTTP_WORKERS: String(WORKERS), JOBS_ENABLED: 'true', ...PATIENT });
  let other: SpawnedHost | undefined;
  afterAll(() => other?.remove());

  /** Runs `work` with a connection to each web worker of the host, one of them just replaced. */
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

  it('trusts what it keeps where its host is alone', async () => {
    await whileDeaf(served.host, served.url, async (pinned) => {
      const path = `/v1/posts/${(await publish(served)).id}`;
      for (const { client } of pinned) {
        await client.send({ method: 'GET', path });
        await sleep(3_000);
        expect((await client.send({ method: 'GET', path })).headers['x-cache']).toBe('HIT');
      }
    });
  });

  it('gives nothing old, takes no token that ended at another host, and waits for the others with a withdrawal', async () => {
    other = await startOther(served, PATIENT);
    await whileDeaf(other, await other.url(), async (pinned) => {
      const { token } = served.author;
      const post = await publish(served);
      const someone = await signUp(served.client);
      const statuses = () =>
        Promise.all(
          pinned.flatMap(({ client }) => [
            client.send({ method: 'GET', path: `/v1/posts/${post.id}` }).then(({ status }) => status),
            client.send({ method: 'GET', path: '/v1/auth/me', token: someone.token }).then(({ status }) => status),
          ]),
        );
      // each of them keeps both
      for (let times = 0; times < 3; times++) expect(await statuses()).toEqual([200, 200, 200, 200]);
      await served.client.delete(`/v1/posts/${post.id}`, { token });
      await served.client.delete('/v1/auth/sessions', { token: someone.token });
      await until(
        async () => ((await statuses()).join() === '404,401,404,401' ? true : null),
        () => 'what was withdrawn is still given',
      );
      for (const { client } of pinned) {
        const { id } = await publish(served);
        const { headers } = await client.send({ method: 'DELETE', path: `/v1/posts/${id}`, token });
        expect(hostsMsOf(new Headers(headers as Record<string, string>))).toBeGreaterThan(0);
      }
    });
  });
});

describe('a host that starts', () => {
  const served = useServed({ HTTP_WORKERS: String(WORKERS), JOBS_ENABLED: 'true' });

  it('answers when it is known to the others: what is withdrawn elsewhere is gone with the answer from the first on', async () => {
    for (let count = 0; count < STARTS; count++) {
      const port = String(await findFreePort());
      const environment = served.host.childEnvironment({ HTTP_PORT: port }) as Record<string, string>;
      const other = new SpawnedHost('dist/src/main.js', environment);
      const client = new HttpClient(`http://localhost:${port}`);
      const { id } = await publish(served);
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
        const { headers } = await served.client.delete(`/v1/posts/${id}`, { token: served.author.token });
        // one that has not said in time that it has heard is not waited for
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
