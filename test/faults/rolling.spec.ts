import { Agent, request } from 'node:http';
import { until } from '../support/spawned-host.js';
import { publish, useServed } from '../support/served.js';

/** 10 in a long run: ROLLING_RESTARTS=10 */
const RESTARTS = Number(process.env.ROLLING_RESTARTS ?? '3');
const CONNECTIONS = 16;

type Outcome = { status: number; text: string };

function send(url: string, method: string, agent: Agent, token?: string, body?: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const sent = request(url, { method, agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode!, text }));
      response.on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}

describe('rolling restarts of the whole server', () => {
  const served = useServed({ HTTP_WORKERS: '2', JOBS_ENABLED: 'true' });

  it(
    `fails no request over ${RESTARTS} restarts under keep-alive load of reads and writes`,
    async () => {
      const { host, url, author } = served;
      const { id } = await publish(served);
      const before = host.processes().map(({ pid }) => pid);
      const kinds: ((agent: Agent, turn: number) => Promise<Outcome>)[] = [
        (agent) => send(`${url}/v1/feed?limit=20`, 'GET', agent),
        (agent, turn) => send(`${url}/v1/posts/mine?limit=${1 + (turn % 20)}`, 'GET', agent, author.token),
        (agent) => send(`${url}/v1/posts/${id}`, 'GET', agent),
        (agent, turn) => {
          const body = JSON.stringify({ value: turn % 2 === 0 ? 'like' : 'dislike' });
          return send(`${url}/v1/posts/${id}/vote`, 'PUT', agent, author.token, body);
        },
      ];
      const failures: string[] = [];
      const drainingReady: number[] = [];
      let count = 0;
      let isOver = false;
      const loops = Array.from({ length: CONNECTIONS }, async (_, at) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let turn = 0; !isOver; turn++) {
          const kind = (at + turn) % kinds.length;
          await kinds[kind]!(agent, turn).then(
            ({ status, text }) => {
              count++;
              if (status !== 200) failures.push(`${kind}: ${status} ${text.slice(0, 200)}`);
            },
            (error: unknown) => failures.push(`${kind}: ${String(error)}`),
          );
        }
        agent.destroy();
      });
      // balancers probe over kept connections: what they hear while their worker drains
      const probe = (async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 4 });
        while (!isOver) {
          await Promise.all(
            Array.from({ length: 4 }, async () => {
              const { status, text } = await send(`${url}/health/ready`, 'GET', agent);
              if (status === 503 && text.includes('"shutting_down"')) drainingReady.push(status);
              else if (status !== 200) failures.push(`ready: ${status} ${text}`);
            }),
          ).catch((error: unknown) => failures.push(`ready: ${String(error)}`));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        agent.destroy();
      })();

      const restarted = (): number => host.output.match(/Restarted 3 processes/g)?.length ?? 0;
      const startedAt = performance.now();
      for (let round = 1; round <= RESTARTS; round++) {
        host.signal('SIGUSR2');
        await until(
          () => (restarted() >= round ? true : null),
          90_000,
          () => host.output,
        );
      }
      const seconds = (performance.now() - startedAt) / 1_000;
      isOver = true;
      await Promise.all([...loops, probe]);
      console.log(
        `${RESTARTS} rolling restarts in ${seconds.toFixed(0)} s: ${count} requests, ${failures.length} failed; ` +
          `/health/ready said 503 shutting_down ${drainingReady.length} times`,
      );
      expect(failures.slice(0, 5)).toEqual([]);
      expect(count).toBeGreaterThan(200 * RESTARTS);
      expect(drainingReady.length).toBeGreaterThan(0);
      const after = host.processes().map(({ pid }) => pid);
      expect(after.filter((pid) => before.includes(pid))).toEqual([host.pid]);
    },
    60_000 + RESTARTS * 60_000,
  );
});

describe('a shutdown that is announced', () => {
  const served = useServed({ HTTP_WORKERS: '2', HTTP_SHUTDOWN_NOTICE_MS: '1500' });

  it('says 503 at /health/ready, stays live and serves new connections until the notice is over', async () => {
    const { host, url } = served;
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    const signalledAt = performance.now();
    host.signal('SIGTERM');
    const fresh = (path: string): Promise<Response> => fetch(url + path, { headers: { connection: 'close' } });
    await until(async () => ((await fresh('/health/ready')).status === 503 ? true : null), 1_000);
    let served200 = 0;
    while (performance.now() - signalledAt < 1_000) {
      expect((await fresh('/v1/feed')).status).toBe(200);
      const ready = await fresh('/health/ready');
      expect([ready.status, ((await ready.json()) as { code: string }).code]).toEqual([503, 'shutting_down']);
      expect(ready.headers.get('retry-after')).toBe('1');
      expect((await fresh('/health/live')).status).toBe(200);
      served200++;
    }
    expect(served200).toBeGreaterThan(3);
    expect(await host.exit(15_000)).toBe(0);
  });
});
