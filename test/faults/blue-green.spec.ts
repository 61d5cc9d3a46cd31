import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from '../support/audit.js';
import { createClient, type TestClient } from '../support/client.js';
import { publish, useServer } from '../support/server.js';
import { ROOT, SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';
import { KeepAliveLoad, type LoadReport } from './suite/keep-alive-load.js';
import { readsAndWrites } from './suite/rolling-restarts.js';

const NEXT_VERSION = '99.0.0';
const CONNECTIONS = 6;
/** Pause between two requests of a client, because without a proxy the hosts write to one post concurrently. */
const PAUSE_MS = 20;
const LEAST_REQUESTS = 100;

type Ended = { code: number; text: string };

/** Runs the current server, and a copy that reports a later version. */
describe('two versions on one database', () => {
  const blue = useServer({ processes: 2, jobs: true });
  let directory: string;
  let green: SpawnedHost;
  let greenClient: TestClient;
  let greenUrl: string;
  const loads: KeepAliveLoad[] = [];

  beforeAll(async () => {
    const dist = join(ROOT, 'dist');
    const parts = readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    // Inside the project the copy finds the same node_modules.
    directory = mkdtempSync(join(dist, '.next-'));
    for (const { name } of parts)
      if (!name.startsWith('.')) cpSync(join(dist, name), join(directory, name), { recursive: true });
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', version: NEXT_VERSION }));
    const environment = blue.host.childEnvironment({ HTTP_PORT: '0' }) as Record<string, string>;
    green = new SpawnedHost(join(directory, 'src/main.js').slice(ROOT.length + 1), environment);
  });
  afterAll(async () => {
    for (const load of loads) await load.stop();
    await green?.remove();
    if (directory) rmSync(directory, { recursive: true });
  });

  const start = (url: string, postId: string): KeepAliveLoad => {
    const load = new KeepAliveLoad(url, readsAndWrites(blue.author.token, postId), CONNECTIONS, PAUSE_MS);
    loads.push(load);
    return load;
  };
  const expectServed = ({ failures }: LoadReport) => {
    expect(failures.slice(0, 5)).toEqual([]);
  };
  /** Runs a command of the later version. */
  const run = (...args: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const env = green.childEnvironment();
      execFile(process.execPath, [join(directory, 'src/cli.js'), ...args], { env, cwd: ROOT }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), text: out + err }),
      );
    });

  it('no request fails from one to the other, and no index that is needed is dropped', async () => {
    const { client, author, host, url } = blue;
    const { token } = author;
    const { details } = (await client.get('/health/ready')).body;
    const [blueVersion] = details.cluster.versions as [string];
    const { id } = await publish(blue);
    const before = start(url, id);

    // Expand: creates the indexes of the later version while the earlier version serves.
    expect(await run('migrate', 'up')).toMatchObject({ code: 0 });
    green.start();
    greenUrl = await green.url();
    greenClient = createClient(greenUrl);
    const after = start(greenUrl, id);
    const cluster = async () => (await greenClient.get('/health/ready')).body.details.cluster;
    await until(async () => (await cluster()).hosts === 2 || null);
    expect(await cluster()).toEqual({
      hosts: 2,
      versions: [blueVersion, NEXT_VERSION],
      // Four processes and one replacement share 80 connections, 16 each.
      connections: { process: 16, host: 80, cluster: 160 },
    });

    await blue.db.collection('posts').createIndex({ ofTheEarlierVersion: 1 });
    const again = await run('migrate', 'up');
    expect(again.code).toBe(0);
    expect(again.text).toMatch(/Undeclared indexes stay, because .* may need them/);
    expect(await blue.db.collection('posts').indexExists('ofTheEarlierVersion_1')).toBe(true);

    const path = `/v1/posts/${(await publish(blue)).id}`;
    for (const [writer, reader] of [
      [client, greenClient],
      [greenClient, client],
    ] as const) {
      const title = `Edited at ${writer === client ? 'blue' : 'green'}`;
      expect((await writer.patch(path, { token, body: { title } })).status).toBe(200);
      await until(async () => (await reader.get(path)).body.title === title || null);
    }
    expect((await greenClient.delete(path, { token })).status).toBe(204);
    // The other host drops its cached response on an event, as in the edits above.
    await until(async () => (await client.get(path)).status === 404 || null);
    for (const load of loads) await load.untilSent(LEAST_REQUESTS);

    // The proxy switches to the later version, then the earlier version stops.
    expectServed(await before.stop());
    host.signal('SIGTERM');
    expect(await host.exit()).toBe(0);
    await until(async () => (await cluster()).hosts === 1 || null);
    expectServed(await after.stop());

    expect(await differences(blue.db)).toEqual([]);
    expect(await run('counters', 'audit')).toMatchObject({ code: 0 });
  });
});
