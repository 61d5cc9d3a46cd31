import { ensureBuilt, SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';

const SILENCE_TIMEOUT_MS = 2_000;

describe('a worker that is stuck', () => {
  let host: SpawnedHost;
  let url: string;

  beforeAll(() => ensureBuilt());
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

  /** Over a connection of its own; what a stuck worker took with it breaks when that is killed. */
  const ask = (): Promise<string> =>
    fetch(`${url}/pid`, { headers: { connection: 'close' } }).then(
      async (answer) => String(((await answer.json()) as { pid: number }).pid),
      () => 'broken',
    );

  it.each(['an endless loop', 'a frozen process'])(
    'is noticed, killed and replaced, and takes one connection with it at most: %s',
    async (how) => {
      const before = host.workers('web');
      const startedAt = performance.now();
      if (how === 'an endless loop') {
        void fetch(`${url}/spin`).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 200));
      } else process.kill(before[0]!, 'SIGSTOP');
      const answers = await Promise.all(Array.from({ length: 20 }, ask));
      await host.untilOutput(/did not answer any more and ended with SIGKILL; starting another/);
      const noticedMs = performance.now() - startedAt;
      console.log(`${how}: killed after ${noticedMs.toFixed(0)} ms of a limit of ${SILENCE_TIMEOUT_MS} ms`);
      expect(noticedMs).toBeGreaterThan(SILENCE_TIMEOUT_MS * 0.8);
      // one more question, and what a busy machine adds
      expect(noticedMs).toBeLessThan(SILENCE_TIMEOUT_MS * 1.2 + 4_000);
      const answered = answers.filter((answer) => answer !== 'broken');
      expect(answered.length).toBeGreaterThanOrEqual(19);
      // the other one alone served meanwhile
      const [stuck, ...more] = before.filter((pid) => !host.workers('web').includes(pid));
      expect(more).toEqual([]);
      if (how === 'a frozen process') expect(stuck).toBe(before[0]);
      expect(answered).not.toContain(String(stuck));
      await until(() => {
        const now = host.readyWorkers('web');
        return now.length === 2 && now.some((one) => !before.includes(one)) ? true : null;
      });
      expect(await Promise.all([ask(), ask(), ask(), ask()])).not.toContain('broken');
    },
  );
});
