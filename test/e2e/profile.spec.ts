import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readHostRecords } from '../../src/platform/cluster/host-record.js';
import { requestProfile } from '../../src/platform/cluster/control-socket.js';
import { runCli } from '../faults/suite/server-under-test.js';
import { runCommand } from '../support/cli.js';
import { pinToEach } from '../support/pinned.js';
import { publish, useServer } from '../support/server.js';

const WORKERS = 2;

describe('cli profile', () => {
  const server = useServer({ processes: WORKERS });
  let isLoaded = true;
  let load: Promise<unknown>;

  beforeAll(async () => {
    await publish(server);
    const clients = await pinToEach(await server.host.url(), WORKERS);
    load = Promise.all(
      clients.map(async ({ client }) => {
        while (isLoaded) await client.send({ method: 'GET', path: '/v1/feed' }).catch(() => undefined);
        client.close();
      }),
    );
  });
  afterAll(async () => {
    isLoaded = false;
    await load;
  });

  const profile = (...options: string[]) => runCli(server.host, ['profile', ...options]);

  it('records the functions of a busy worker', async () => {
    const { code, output } = await profile('--process', 'web-1', '--seconds', '5');

    expect(code).toBe(0);
    const [file, page, progress] = output.split('\n') as [string, string, string];
    const [, pid] = /^Recording cpu of web-1 \(pid (\d+)\) for 5 s$/.exec(progress)!;
    expect(server.host.workers('web')).toContain(Number(pid));
    const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as { nodes: { callFrame: { functionName: string } }[] };
    expect(nodes.map(({ callFrame }) => callFrame.functionName)).toContain('tryHandle');
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('"tryHandle","src/platform/cache/cached-response.listener.ts:');
    expect(html).not.toMatch(/(?:src|href)=/);
    expect([file, page].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('records one profile at a time', async () => {
    const [{ control } = {}] = await readHostRecords(server.host.dataDir);
    const request = { process: 'writer', kind: 'cpu', seconds: 5 } as const;

    const both = await Promise.allSettled([0, 1].map(() => requestProfile(control!, request, () => {})));

    const refusals = both.flatMap((each) => (each.status === 'rejected' ? String(each.reason) : []));
    expect(refusals).toEqual([expect.stringMatching(/A profile of writer is being recorded\. Try again after it\.$/)]);
  });

  it.each(['heap', 'allocations'])('records %s of another process', async (kind) => {
    const { code, output } = await profile('--process', 'writer', '--seconds', '1', '--kind', kind);

    expect([code, output]).toEqual([0, expect.stringMatching(/^Recording .* \(pid \d+\) for 1 s$/m)]);
    const name = readdirSync(join(server.host.dataDir, 'profiles')).find((each) =>
      new RegExp(`^writer-${kind}-\\d+T\\d+Z\\.heapprofile$`).test(each),
    )!;
    const file = readFileSync(join(server.host.dataDir, 'profiles', name), 'utf8');
    expect(JSON.parse(file)).toHaveProperty('head.callFrame');
  });

  it('names the processes when there is none of that name', async () => {
    expect(await profile('--process', 'web-3')).toEqual({
      code: 1,
      output: 'No process web-3 is ready. Choose one of: web-1, web-2, writer, primary.\n',
    });
  });

  it('refuses more than a minute', async () => {
    const { code, output } = await profile('--process', 'web-1', '--seconds', '61');
    expect([code, output]).toEqual([1, expect.stringContaining('It must be at most 60.')]);
  });

  it('says that no server runs', async () => {
    const text = expect.stringMatching(/^No server runs on the data directory/);
    expect(await runCommand(['profile', '--process', 'web-1'], { DATA_DIR: '/nowhere' })).toEqual({ status: 1, text });
  });
});
