import { ensureBuilt, SpawnedHost, until } from '../support/spawned-host.js';

const SILENCE_TIMEOUT_MS = 2_000;

describe('a worker that is stuck', () => {
  let host: SpawnedHost;
  let url: string;

  beforeAll(() => ensureBuilt(), 300_000);
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

  const pid = async (): Promise<number> =>
    ((await (await fetch(`${url}/pid`, { headers: { connection: 'close' } })).json()) as { pid: number }).pid;

  it.each(['an endless loop', 'a frozen process'])(
    'is noticed, killed and replaced: %s',
    async (how) => {
      const before = host.workers('web');
      const startedAt = performance.now();
      let victim: number;
      if (how === 'an endless loop') {
        void fetch(`${url}/spin`).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 200));
        victim = 0;
      } else process.kill((victim = before[0]!), 'SIGSTOP');
      // the other one goes on meanwhile
      const answered = new Set<number>();
      for (let turn = 0; turn < 10; turn++) answered.add(await pid());
      if (victim !== 0) expect(answered).not.toContain(victim);
      await host.untilOutput(/did not answer any more and ended with SIGKILL; starting another/, 15_000);
      const noticedMs = performance.now() - startedAt;
      await until(() => {
        const now = host.workers('web');
        return now.length === 2 && now.some((one) => !before.includes(one)) ? true : null;
      }, 20_000);
      console.log(`${how}: killed after ${noticedMs.toFixed(0)} ms of a limit of ${SILENCE_TIMEOUT_MS} ms`);
      expect(noticedMs).toBeGreaterThan(SILENCE_TIMEOUT_MS * 0.8);
      expect(noticedMs).toBeLessThan(SILENCE_TIMEOUT_MS * 3 + 2_000);
      expect(await pid()).toBeGreaterThan(0);
    },
    60_000,
  );
});
