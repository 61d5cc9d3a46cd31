import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { useDatabase } from '../support/mongo.js';
import { ROOT, SpawnedHost } from '../support/spawned-host.js';

const FILES = ['src', 'seeds', 'sdk', 'node_modules', 'package.json', 'nest-cli.json']
  .concat(['tsconfig.json', 'tsconfig.build.json'])
  .map((name) => [join(ROOT, name), name] as const);

/** `npm run check` checks types. */
const UNCHECKED = { extends: './tsconfig.build.json', compilerOptions: { noCheck: true } };
const SDK_IN_ROOT = { extends: './tsconfig.json', include: ['sdk/src'] };

describe("Nest's own tools", () => {
  const database = useDatabase();
  let project: string;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'opencanvas-nest-'));
    for (const [path, name] of FILES) symlinkSync(path, join(project, name));
    writeFileSync(join(project, 'tsconfig.unchecked.json'), JSON.stringify(UNCHECKED));
    writeFileSync(join(project, 'tsconfig.sdk.json'), JSON.stringify(SDK_IN_ROOT));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  const run = (program: string, ...args: string[]): string =>
    execFileSync(process.execPath, [join(ROOT, 'node_modules', program), ...args], { cwd: project, encoding: 'utf8' });

  it('`nest build` makes a server that starts, with the same API', async () => {
    run('@nestjs/cli/bin/nest.js', 'build', '--path', 'tsconfig.unchecked.json');
    const host = new SpawnedHost(relative(ROOT, join(project, 'dist/src/main.js')), {
      MONGODB_URI: database.uri,
      MONGODB_DATABASE: database.dbName,
      AUTH_TOKEN_SECRET: 'a secret of the tests, of forty characters',
      HTTP_WORKERS: '1',
      HTTP_PUBLIC_URL: 'https://api.example.org',
    });
    try {
      host.start();
      const url = await host.url();
      const get = (path: string): Promise<Response> => fetch(url + path);
      expect((await get('/health/ready')).status).toBe(200);
      expect(await (await get('/docs')).text()).toContain('swagger-ui');
      const document = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as unknown;
      expect(await (await get('/openapi.json')).json()).toEqual(document);
      host.signal('SIGTERM');
      expect(await host.exit()).toBe(0);
    } finally {
      await host.remove();
    }
  });

  it('`tsc -p .` knows no types of the DOM, and the SDK needs none', () => {
    expect(run('typescript/bin/tsc', '-p', 'tsconfig.sdk.json')).toBe('');
  });
});
