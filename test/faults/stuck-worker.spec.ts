import { SpawnedHost } from '../support/spawned-host.js';
import { loopBusyMs } from '../support/busy-time.js';
import { until } from '../support/until.js';

/** On a busy machine a process must not count as stuck. */
const SILENCE_TIMEOUT_MS = 5_000;

describe('a worker that is stuck', () => {
  let host: SpawnedHost;
  let url: string;

  beforeEach(async () => {
    host = new SpawnedHost('test/faults/fixtures/host.mjs', {
      MONGODB_URI: process.env.TEST_MONGODB_URI!,
      AUTH_TOKEN_SECRET: 'x'.repeat(40),
      PROCESS_SILENCE_TIMEOUT_MS: String(SILENCE_TIMEOUT_MS),
    });
    host.start();
    url = await host.url();
  });
  afterEach(() => host.remove());

  /** Uses a new connection. The connections of a stuck worker break when the worker is killed. */
  const pidOfWorker = (): Promise<string> =>
    fetch(`${url}/pid`, { headers: { connection: 'close' } }).then(
      async (answer) => String(((await answer.json()) as { pid: number }).pid),
      () => 'broken',
    );

  it.each(['an endless loop', 'a frozen process'])(
    'is killed and replaced, and breaks one connection at most: %s',
    async (how) => {
      const before = host.workers('web');
      if (how === 'an endless loop') {
        const busy = new Map(before.map((pid) => [pid, loopBusyMs(pid)]));
        void fetch(`${url}/spin`).catch(() => {});
        await until(() => before.some((pid) => loopBusyMs(pid) - busy.get(pid)! > 100) || null);
      } else process.kill(before[0]!, 'SIGSTOP');
      const answers = await Promise.all(Array.from({ length: 20 }, pidOfWorker));
      await host.untilOutput(/stopped responding and ended with SIGKILL; starting another/);
      const answered = answers.filter((answer) => answer !== 'broken');
      expect(answered.length).toBeGreaterThanOrEqual(19);
      // Only the other worker served during that time.
      const [stuck, ...more] = before.filter((pid) => !host.workers('web').includes(pid));
      expect(more).toEqual([]);
      if (how === 'a frozen process') expect(stuck).toBe(before[0]);
      expect(answered).not.toContain(String(stuck));
      await until(() => {
        const now = host.readyWorkers('web');
        return now.length === 2 && now.some((one) => !before.includes(one)) ? true : null;
      });
      expect(await Promise.all([pidOfWorker(), pidOfWorker(), pidOfWorker(), pidOfWorker()])).not.toContain('broken');
    },
  );
});
