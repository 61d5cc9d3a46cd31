import { rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';

const HOST = 'test/faults/fixtures/host.mjs';
const ENVIRONMENT = { MONGODB_URI: process.env.TEST_MONGODB_URI!, AUTH_TOKEN_SECRET: 'x'.repeat(40) };

type Answer = { status: number; connection: string | undefined; body: { pid: number } };

function getJson(url: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          connection: response.headers.connection,
          body: JSON.parse(text) as Answer['body'],
        }),
      );
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Sends requests in a loop on keep-alive connections until stopped, and records failures. */
function startLoad(url: string, connections: number) {
  const failures: unknown[] = [];
  const pids = new Set<number>();
  let count = 0;
  let isOver = false;
  const loops = Array.from({ length: connections }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      try {
        const { status, body } = await getJson(`${url}/slow?ms=5`, agent);
        if (status !== 200) failures.push(status);
        pids.add(body.pid);
        count++;
      } catch (error) {
        failures.push(error);
      }
    }
    agent.destroy();
  });
  return {
    failures,
    pids,
    end: async () => {
      isOver = true;
      await Promise.all(loops);
      return count;
    },
  };
}

describe('the cluster under faults', () => {
  let host: SpawnedHost;
  const start = async (environment: Record<string, string> = {}): Promise<string> => {
    host = new SpawnedHost(HOST, { ...ENVIRONMENT, ...environment });
    host.start();
    return host.url();
  };

  afterEach(() => host.remove());

  it('replaces a web, a jobs and a writer process that were killed, and serves', async () => {
    const url = await start();
    const [victim] = host.workers('web');
    const [jobs] = host.workers('jobs');
    process.kill(victim!, 'SIGKILL');
    process.kill(jobs!, 'SIGKILL');
    const [writer] = host.workers('writer');
    process.kill(writer!, 'SIGKILL');
    // A connection on its way to the killed worker breaks. A second attempt gets a response.
    const again = (): ReturnType<typeof getJson> => getJson(`${url}/pid`);
    expect((await again().catch(again).catch(again)).status).toBe(200);
    await until(() => (host.workers('web').length === 2 && !host.workers('web').includes(victim!) ? true : null));
    await until(() => (host.workers('jobs').length === 1 && host.workers('jobs')[0] !== jobs ? true : null));
    await until(() => (host.workers('writer').some((pid) => pid !== writer) ? true : null));
    expect(host.output).toMatch(/writer \(pid \d+\) ended with SIGKILL; starting another in 100 ms/);
  });

  it('breaks a new connection to a web process that was killed', async () => {
    const url = await start();
    const [victim] = host.workers('web');
    // A stopped process may accept a connection and never respond.
    process.kill(victim!, 'SIGSTOP');
    const asked = Array.from({ length: 6 }, () =>
      getJson(`${url}/pid`).then(
        () => 'answered',
        () => 'broken',
      ),
    );
    // Gives the process time to accept a connection.
    await sleep(300);
    process.kill(victim!, 'SIGKILL');
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter((outcome) => outcome === 'broken').length).toBeLessThanOrEqual(1);
  });

  it('leaves no process behind when the primary is killed', async () => {
    await start();
    expect(host.processes().length).toBe(5);
    host.signal('SIGKILL');
    await host.untilGone();
  });

  it('gives up on a crash loop with one message and a non-zero exit', async () => {
    host = new SpawnedHost(HOST, ENVIRONMENT);
    const broken = join(host.dataDir, 'broken');
    writeFileSync(broken, '');
    host.start({ FIXTURE_BROKEN_FILE: broken });
    expect(await host.exit()).toBe(1);
    expect(host.output.match(/Giving up: .* ended 5 times before it was ready/g)).toHaveLength(1);
    await host.untilGone();
  });

  it('prints a refusal as one sentence, once, and does not retry', async () => {
    host = new SpawnedHost(HOST, ENVIRONMENT);
    host.start({ FIXTURE_REFUSAL: 'No MongoDB listens there.' });
    expect(await host.exit()).toBe(1);
    const started = expect.stringMatching(/^\[primary\] opencanvas-api \S+ on Node/) as string;
    expect(host.output.trim().split('\n')).toEqual([started, 'No MongoDB listens there.']);
    await host.untilGone();
  });

  /** Sends a request that takes until `release`; resolves when a worker has started it. */
  const hold = async (url: string, agent?: Agent) => {
    const held = getJson(`${url}/held`, agent).catch(() => 'cut' as const);
    await host.untilOutput(/holding a request/);
    return { held, release: () => writeFileSync(join(host.dataDir, 'gate'), '') };
  };
  const startHolding = async (environment: Record<string, string> = {}): Promise<string> => {
    host = new SpawnedHost(HOST, ENVIRONMENT);
    host.start({ ...environment, FIXTURE_GATE_FILE: join(host.dataDir, 'gate') });
    return host.url();
  };
  /** Waits until no process accepts connections. */
  const untilClosed = (url: string) =>
    until(() =>
      getJson(`${url}/pid`).then(
        () => null,
        () => true,
      ),
    );

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'answers what is in flight before it ends on %s',
    async (signal) => {
      const url = await startHolding();
      const agent = new Agent({ keepAlive: true });
      const { held, release } = await hold(url, agent);
      host.signalGroup(signal);
      await untilClosed(url);
      release();
      expect(await held).toMatchObject({ status: 200, connection: 'close' });
      expect(await host.exit()).toBe(0);
      await host.untilGone();
      agent.destroy();
    },
  );

  it('cuts connections that outlive the deadline of a shutdown', async () => {
    const { held } = await hold(await startHolding({ HTTP_SHUTDOWN_TIMEOUT_MS: '1000' }));
    host.signal('SIGTERM');
    expect(await held).toBe('cut');
    expect(await host.exit()).toBe(0);
  });

  it('stops immediately on a second signal', async () => {
    const url = await startHolding({ HTTP_SHUTDOWN_TIMEOUT_MS: '300000' });
    const { held } = await hold(url);
    host.signal('SIGTERM');
    await untilClosed(url);
    // A second signal within a second counts as the first.
    await sleep(1_200);
    host.signal('SIGTERM');
    expect(await host.exit()).toBe(1);
    expect(await held).toBe('cut');
    await host.untilGone();
  });

  it('fails no request over rolling restarts under keep-alive load', async () => {
    const url = await start();
    const before = [...host.workers('web'), ...host.workers('jobs'), ...host.workers('writer')];
    const load = startLoad(url, 20);
    for (let round = 1; round <= 3; round++) {
      const seen = host.output.match(/Restarted 4 processes/g)?.length ?? 0;
      host.signal('SIGUSR2');
      await until(() => ((host.output.match(/Restarted 4 processes/g)?.length ?? 0) > seen ? true : null));
    }
    await load.end();
    expect(load.failures).toEqual([]);
    expect(load.pids.size).toBeGreaterThanOrEqual(4);
    const after = [...host.workers('web'), ...host.workers('jobs'), ...host.workers('writer')];
    expect(after).toHaveLength(4);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('continues its start when a reload comes too early, and accepts the next one', async () => {
    (host = new SpawnedHost(HOST, ENVIRONMENT)).start();
    await until(() => (host.workers('web').length > 0 ? true : null));
    host.signal('SIGUSR2');
    await host.untilOutput(/still starting, so nothing is restarted/);
    await host.url();
    host.signal('SIGUSR2');
    await host.untilOutput(/Restarted 4 processes/);
  });

  it('keeps the old workers when the new build is broken, and accepts the next good one', async () => {
    const broken = join((host = new SpawnedHost(HOST, ENVIRONMENT)).dataDir, 'broken');
    host.start({ FIXTURE_BROKEN_FILE: broken });
    const url = await host.url();
    const before = host.workers('web').sort();
    writeFileSync(broken, '');
    host.signal('SIGUSR2');
    await host.untilOutput(/Restart given up, the new web 1 did not start: .* The old processes keep running\./);
    expect(host.workers('web').sort()).toEqual(before);
    expect((await getJson(`${url}/pid`)).status).toBe(200);
    rmSync(broken);
    host.signal('SIGUSR2');
    await host.untilOutput(/Restarted 4 processes/);
    expect(host.workers('web').filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('carries messages to every other process once and in order', async () => {
    const url = await start({ HTTP_WORKERS: '3' });
    const senders = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await fetch(`${url}/publish?count=500&processes=5`)).json() as Promise<{ pid: number }>,
      ),
    );
    type State = { role: string; pid: number; received: { from: number; at: number }[] };
    const states = (await (await fetch(`${url}/state?processes=5`)).json()) as State[];
    expect(states.map(({ role }) => role).sort()).toEqual(['jobs', 'web', 'web', 'web', 'writer']);
    const run = Array.from({ length: 500 }, (_, at) => at);
    for (const { pid, received } of states) {
      for (const sender of new Set(senders.map((one) => one.pid))) {
        const runs = sender === pid ? [] : senders.filter((one) => one.pid === sender);
        expect(received.filter(({ from }) => from === sender).map(({ at }) => at)).toEqual(runs.flatMap(() => run));
      }
    }
  });
});
