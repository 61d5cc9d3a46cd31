import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useApp } from '../support/app.js';
import { ROOT } from '../support/spawned-host.js';

type Written = {
  environment: { target: string | null; dataset: unknown };
  results: { suite: string; subject: string; requests: number; cpuMicrosPerRequest: number | null; non2xx: number }[];
  failures: { suite: string }[];
};

describe('npm run benchmark -- --target', () => {
  const app = useApp({ seeded: 'tiny' });
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'opencanvas-target-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [join(ROOT, 'dist/benchmarks/benchmark.js'), '--quick', ...args], {
      env: { ...process.env, DATA_DIR: directory, MONGODB_URI: '', NODE_ENV: 'development' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  }

  async function load(
    target: string,
    suites: string,
  ): Promise<{ code: number | null; output: string; report: Written }> {
    const json = join(directory, 'report.json');
    const result = await run('--target', target, '--suite', suites, '--json', json);
    return { ...result, report: JSON.parse(readFileSync(json, 'utf8')) as Written };
  }

  it('loads a remote server with requests made from its own responses, and reports no CPU figure', async () => {
    const { code, report } = await load(app.url, 'feed-hot,feed-cold,post-hot,comments-hot');
    expect(report.failures).toEqual([]);
    expect(code).toBe(0);
    expect(report.environment).toMatchObject({ target: app.url, dataset: null });
    expect(report.results.map(({ suite, subject }) => `${suite} ${subject}`)).toEqual([
      'feed-hot target',
      'feed-cold target',
      'post-hot target',
      'comments-hot target',
    ]);
    for (const result of report.results) {
      expect(result).toMatchObject({ cpuMicrosPerRequest: null, non2xx: 0 });
      expect(result.requests).toBeGreaterThan(0);
    }
  });

  it('fails and writes nothing when no suite has the requested subject', async () => {
    const json = join(directory, 'none.json');
    const { code, output } = await run('--target', app.url, '--subjects', 'prodct', '--json', json);
    expect(code).toBe(1);
    expect(output).toContain('no subject "prodct"');
    expect(existsSync(json)).toBe(false);
  });

  it('fails when the server sends any other response', async () => {
    const other = createServer((_request, response) => response.writeHead(503).end('{}')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    try {
      const { code, output, report } = await load(
        `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
        'feed-hot',
      );
      expect(code).toBe(1);
      expect(report.results).toEqual([]);
      expect(report.failures).toMatchObject([{ suite: 'feed-hot' }]);
      expect(output).toContain('FAILED feed-hot');
    } finally {
      other.closeAllConnections();
      await new Promise((resolve) => other.close(resolve));
    }
  });
});
