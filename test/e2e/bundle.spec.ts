import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeApi } from '../../src/api-document.js';
import { packageVersion } from '../../src/config/package-version.js';

const ROOT = join(import.meta.dirname, '../..');
const BUNDLE = join(ROOT, 'dist/bundle');

describe('dist/bundle', () => {
  it('names the TypeScript file and line in a stack trace', () => {
    const code = `
      process.argv = ['node', 'openapi', '-'];
      await import('${BUNDLE}/cli.js');
      const { createApp } = await import('${BUNDLE}/create-app.js');
      await createApp({});`;
    const { stderr } = node('--input-type=module', '-e', code);

    const [, line] = /\/src\/create-app\.ts:(\d+):\d+/.exec(stderr) ?? [stderr];

    const source = readFileSync(join(ROOT, 'src/create-app.ts'), 'utf8').split('\n');
    expect(source[Number(line) - 1]).toContain('trustedProxies');
  });

  it('loads at most 200 files for the application', () => {
    const code = `
      const { Session } = await import('node:inspector');
      const files = new Set();
      const session = new Session();
      session.connect();
      session.on('Debugger.scriptParsed', ({ params }) => params.url.startsWith('node:') || files.add(params.url));
      session.post('Debugger.enable');
      await import('${BUNDLE}/create-app.js');
      console.log(files.size);`;

    const { stdout } = node('--input-type=module', '-e', code);

    expect(Number(stdout)).toBeGreaterThan(1);
    expect(Number(stdout)).toBeLessThanOrEqual(200);
  });

  it('describes the API as the sources do', async () => {
    const { stdout } = node(join(BUNDLE, 'cli.js'), 'openapi', '-');

    expect(JSON.parse(stdout)).toEqual(await describeApi());
  });

  it('calls itself by its version and the commit that was built', () => {
    const { stdout } = node(join(BUNDLE, 'cli.js'), '--version');

    const built = JSON.parse(readFileSync(join(BUNDLE, 'package.json'), 'utf8')) as { commit: string };
    expect(built.commit).toMatch(/^[0-9a-f]{12}(-dirty)?$/);
    expect(stdout).toBe(`${packageVersion()}+${built.commit}\n`);
  });

  it('contains the license of every bundled package', () => {
    const licenses = readFileSync(join(BUNDLE, 'LICENSES.txt'), 'utf8');

    for (const name of ['fastify', '@nestjs/core', 'mongoose', 'katex'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(licenses).toContain('Permission is hereby granted');
  });
});

function node(...args: string[]): { stdout: string; stderr: string } {
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}
