import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';

const PATH = '/slow?ms=2';

/** Returns the body, or null when the connection broke or a stopped process holds the connection. */
function fetchText(url: string, agent: Agent): Promise<string | null> {
  const signal = AbortSignal.timeout(8_000);
  return new Promise((resolve) => {
    get(url, { agent, signal }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve(text));
      response.on('error', () => resolve(null));
    }).on('error', () => resolve(null));
  });
}

/** Returns every series of a counter or a histogram. */
function countersOf(page: string): Map<string, number> {
  const types = new Map([...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  const typeOf = (name: string): string | undefined =>
    types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''));
  const series = page.split('\n').flatMap((line) => {
    const [, key, name, value] = /^((\w+)(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (key === undefined || !['counter', 'histogram'].includes(typeOf(name!) ?? '')) return [];
    return [[key, Number(value)] as const];
  });
  return new Map(series);
}

/** Loads kept connections and reads the metrics of all workers concurrently. `end` lists counters that decreased between two reads. */
function observe(url: string) {
  let isOver = false;
  let answered = 0;
  const fallen: string[] = [];
  let last = new Map<string, number>();
  const load = Array.from({ length: 8 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      if ((await fetchText(url + PATH, agent)) !== null) answered++;
      else await sleep(20);
    }
    agent.destroy();
  });
  const look = async (): Promise<void> => {
    const body = await fetchText(`${url}/metrics`, new Agent());
    if (body === null) return;
    const page = countersOf((JSON.parse(body) as { text: string }).text);
    for (const [key, value] of last) {
      const now = page.get(key);
      if (now === undefined || now < value) fallen.push(`${key}: ${value} and then ${now}`);
    }
    last = page;
  };
  const pages = (async () => {
    while (!isOver) {
      await look();
      await sleep(20);
    }
  })();
  const stop = async (): Promise<void> => {
    isOver = true;
    await Promise.all([...load, pages]);
  };
  return {
    counted: (): number => last.get('fixture_answered_total{path="/slow"}') ?? 0,
    answered: (): number => answered,
    /** Waits until the counters have increased. */
    grow: async (by: number): Promise<void> => {
      const from = last.get('fixture_answered_total{path="/slow"}') ?? 0;
      await until(() => ((last.get('fixture_answered_total{path="/slow"}') ?? 0) > from + by ? true : null));
    },
    stop,
    end: async (): Promise<string[]> => {
      await stop();
      // A page is at most a second old.
      await sleep(1_100);
      await look();
      return fallen;
    },
  };
}

describe('the counters of a host', () => {
  let host: SpawnedHost;
  let url: string;
  let load: ReturnType<typeof observe>;

  beforeEach(async () => {
    const environment = { MONGODB_URI: process.env.TEST_MONGODB_URI!, AUTH_TOKEN_SECRET: 'x'.repeat(40) };
    host = new SpawnedHost('test/faults/fixtures/host.mjs', { ...environment, PROCESS_SILENCE_TIMEOUT_MS: '60000' });
    host.start();
    url = await host.url();
    load = observe(url);
  });
  afterEach(async () => {
    await load.stop();
    await host.remove();
  });

  const untilTwoReady = (): Promise<boolean> => until(() => (host.readyWorkers('web').length === 2 ? true : null));

  it('never decrease while processes are killed and replaced, or stopped, under load', async () => {
    for (let round = 0; round < 4; round++) {
      await load.grow(100);
      await untilTwoReady();
      process.kill(host.readyWorkers('web')[round % 2]!, 'SIGKILL');
    }
    await load.grow(100);
    await untilTwoReady();
    const [frozen] = host.readyWorkers('web');
    process.kill(frozen!, 'SIGSTOP');
    // Pages lack the metrics of this process after the primary has stopped waiting for them.
    await load.grow(100);
    process.kill(frozen!, 'SIGCONT');
    await load.grow(100);
    expect(await load.end()).toEqual([]);
    // Only counts of a killed process after its last report are lost.
    expect(load.counted()).toBeGreaterThan(900);
    console.log(`${load.answered()} answered, ${load.counted()} counted over 4 killed processes`);
  });

  it('count every request of the processes that a rolling restart replaced', async () => {
    await load.grow(100);
    host.signal('SIGUSR2');
    await host.untilOutput(/Restarted \d+ processes/);
    await load.grow(100);
    expect(await load.end()).toEqual([]);
    expect(load.counted()).toBe(load.answered());
  });
});
