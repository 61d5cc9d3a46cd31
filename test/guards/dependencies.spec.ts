import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Packages with an installation script, which `.npmrc` does not run. All packages work without their script. */
const REVIEWED = [
  '@cloudpss/zstd',
  '@photostructure/sqlite',
  '@parcel/watcher',
  '@scarf/scarf',
  '@swc/core',
  'esbuild',
  'unrs-resolver',
];

type Lock = { packages: Record<string, { hasInstallScript?: boolean }> };

describe('the installed packages', () => {
  it('run no script, and a new package with one needs a review', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
    const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScript.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(names.filter((name) => !REVIEWED.includes(name))).toEqual([]);
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });
});

describe('npm run audit', () => {
  let registry: Server;
  let severity: string | null;

  beforeAll(async () => {
    registry = createServer((request, response) => {
      request.resume().once('end', () => {
        if (severity === null) return response.writeHead(405).end();
        const isAsked = request.url === '/-/npm/v1/security/advisories/bulk';
        response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' });
        response.end(isAsked ? JSON.stringify({ rxjs: [advisory(severity)] }) : '{}');
      });
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => registry.close());

  const advisory = (grade: string): object => ({
    id: 1,
    url: 'https://example.org/1',
    title: 'Everything breaks',
    severity: grade,
    vulnerable_versions: '*',
  });

  it.each([
    ['critical', 1, /critical rxjs.*: Everything breaks/],
    ['high', 1, /high or critical: [1-9]/],
    ['moderate', 0, /high or critical: 0/],
    [null, 0, /NOT KNOWN, the registry gave no advisories \(405/],
  ])('with a finding that is %s ends with %i', async (grade, expected, said) => {
    severity = grade;
    // npm caches its evaluation of an advisory.
    const cache = mkdtempSync(join(tmpdir(), 'opencanvas-npm-cache-'));
    const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
    const { code, output } = await audit({ npm_config_registry: address, npm_config_cache: cache });
    rmSync(cache, { recursive: true, force: true });
    expect(output).toMatch(said);
    expect(code).toBe(expected);
  });
});

function audit(settings: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, ...settings, npm_config_fetch_retries: '0' };
  const child = spawn(process.execPath, ['scripts/audit.mjs'], { cwd: ROOT, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, output }));
  });
}
