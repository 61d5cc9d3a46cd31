import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';

describe('a worker that crashes repeatedly', () => {
  let host: SpawnedHost;

  afterEach(() => host.remove());

  it('is started ever later while the others serve, and runs again without its cause', async () => {
    host = new SpawnedHost('test/faults/fixtures/host.mjs', {
      MONGODB_URI: process.env.TEST_MONGODB_URI!,
      AUTH_TOKEN_SECRET: 'x'.repeat(40),
      JOBS_ENABLED: 'false',
    });
    const broken = join(host.dataDir, 'broken');
    host.start({ FIXTURE_BROKEN_FILE: broken });
    const url = await host.url();
    const [victim, survivor] = host.workers('web');
    const seenAt: number[] = [];
    const announced = (): number[] =>
      [...host.output.matchAll(/starting another in (\d+) ms/g)].map(([, ms]) => Number(ms));
    writeFileSync(broken, '');
    process.kill(victim!, 'SIGKILL');
    // Connections that the victim had accepted end with the victim. Every later request gets a response.
    await until(() => (host.workers('web').includes(victim!) ? null : true));
    // Waits for one more exit than a server that cannot start at all makes before it gives up.
    await until(
      async () => {
        while (seenAt.length < announced().length) seenAt.push(performance.now());
        if (seenAt.length >= 6) return true;
        expect((await fetch(`${url}/pid`, { headers: { connection: 'close' } })).status).toBe(200);
        return null;
      },
      () => host.output,
    );
    expect(announced().slice(0, 6)).toEqual([100, 200, 400, 800, 1_600, 3_200]);
    // Each exit comes after at least the pause since the previous exit.
    const gaps = seenAt.slice(1, 6).map((at, index) => at - seenAt[index]!);
    const pauses = [100, 200, 400, 800, 1_600];
    console.log(
      `pauses of ${pauses.join(', ')} ms; ends came ${gaps.map((gap) => gap.toFixed(0)).join(', ')} ms apart`,
    );
    // On a busy machine one exit may be noticed late, and the next in time.
    gaps.forEach((gap, at) => expect(gap).toBeGreaterThan(pauses[at]! - 250));
    expect(host.output).not.toMatch(/Giving up/);
    expect(host.workers('web')).toContain(survivor);
    rmSync(broken);
    await until(() => (host.readyWorkers('web').length === 2 ? true : null));
    expect(host.readyWorkers('web')).toContain(survivor);
  });
});
