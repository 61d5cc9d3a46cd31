import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../support/client.js';
import { ROOT, SpawnedHost } from '../support/spawned-host.js';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';

const OTHER_SECRET = 'another-secret-than-that-of-the-first-host-'.repeat(2);

describe('A host that differs from the others', () => {
  const server = useServer({ processes: 2, jobs: true, environment: { LOG_LEVEL: 'warn' } });
  let other: SpawnedHost;
  let otherUrl: string;

  beforeAll(async () => {
    const { DATA_DIR: _, ...environment } = server.host.childEnvironment({ AUTH_TOKEN_SECRET: OTHER_SECRET });
    const NODE_OPTIONS = `--import ${join(ROOT, 'test/faults/fixtures/moved-clock.mjs')}`;
    other = new SpawnedHost('dist/src/main.js', { ...(environment as Record<string, string>), NODE_OPTIONS });
    writeFileSync(join(other.dataDir, 'clock'), String(20 * 60_000));
    other.start();
    otherUrl = await other.url();
  });
  afterAll(() => other?.remove());

  const warningsAt = async (url: string): Promise<string[]> =>
    (await createClient(url).get('/health/ready')).body.details?.hostWarnings ?? [];
  const metricsAt = async (url: string): Promise<string> => (await createClient(url).get<string>('/metrics')).body;

  it('logs that its clock is off', async () => {
    await other.untilOutput(/The clock of this host is 1(199|200) s ahead of that of MongoDB/);
    expect(server.host.output).not.toContain('The clock');
  });

  it('is logged by a host with another secret, and logs it as well', async () => {
    for (const host of [server.host, other])
      await host.untilOutput(/WARN \[Hosts\] Host \S+ signs with another AUTH_TOKEN_SECRET/);
  });

  it('shows both in the details of readiness', async () => {
    const [first, second] = [/^Host \S+ signs with another AUTH_TOKEN_SECRET/, /^The clock of this host is/];
    const shown = await until(async () => {
      const warnings = await Promise.all([warningsAt(server.url), warningsAt(otherUrl)]);
      return warnings[0].length === 1 && warnings[1].length === 2 ? warnings : null;
    });
    expect(shown[0][0]).toMatch(first);
    expect(shown[1].sort()).toEqual([expect.stringMatching(first), expect.stringMatching(second)]);
  });

  it('shows both in the metrics', async () => {
    const pages = await Promise.all([metricsAt(server.url), metricsAt(otherUrl)]);
    const offsets = pages.map((page) => Number(/^opencanvas_clock_offset_seconds (\S+)$/m.exec(page)?.[1]));
    expect(Math.abs(offsets[0]!)).toBeLessThan(5);
    expect(Math.round(offsets[1]! / 60)).toBe(20);
    for (const page of pages) expect(page).toMatch(/^opencanvas_hosts_with_other_secret 1$/m);
  });

  it('is warned of no longer when it has stopped', async () => {
    other.signal('SIGTERM');
    expect(await other.exit()).toBe(0);
    await until(async () => (await warningsAt(server.url)).length === 0 || null);
  });
});
