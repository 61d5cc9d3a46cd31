import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const SDK = join(ROOT, 'sdk');
const README = readFileSync(join(SDK, 'README.md'), 'utf8');
const TOUR = [...README.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code).join('\n');
const OUTPUT = [
  'the feed has 3 posts on a page of three',
  'the profile of demo_writer',
  'signed in as demo_writer',
  'unread notifications: counted',
  'an image of 1 pixel, sent whole',
  'edited: Notes on the Analytical Engine',
  'too late: precondition_failed',
  'signed in: false',
];

/** Installs the package that `npm pack` makes in its own folder. */
describe('the packed SDK', () => {
  const app = useApp({ seeded: 'tiny' });
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'opencanvas-sdk-'));
    const installed = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(ROOT, 'node_modules', name));
    const packed = [...(await pack(SDK, '--ignore-scripts=false')), ...(await pack(...installed, '--ignore-scripts'))];
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    await run('npm', ['install', '--offline', '--engine-strict', '--no-audit', '--no-fund', ...packed], {
      cwd: folder,
    });
    writeFileSync(join(folder, 'tour.ts'), TOUR.replaceAll('http://localhost:3000', app.url));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles the tour of its README strictly, and Node runs it', async () => {
    await compile('tour.ts', '--module', 'nodenext');

    const { stdout } = await run(process.execPath, ['tour.js'], { cwd: folder });

    expect(stdout.trim().split('\n')).toEqual(OUTPUT);
  });

  it.each([
    ['node16', 'node16'],
    ['commonjs', 'node10'],
  ])('has code and types for a CommonJS project with module %s and resolution %s', async (module, resolution) => {
    const project = mkdtempSync(join(folder, 'commonjs-'));
    writeFileSync(join(project, 'package.json'), '{ "type": "commonjs" }');
    const lines = [
      "import { ApiError, OpenCanvas, type components, unwrap } from 'opencanvas-sdk';",
      `const client = new OpenCanvas({ baseUrl: '${app.url}' });`,
      "const titleOf = (post: components['schemas']['Post']): string => post.title;",
      '// @ts-expect-error',
      "export const wrong = (post: components['schemas']['Post']): number => post.title;",
      "unwrap(client.GET('/v1/posts/{idOrSlug}', { params: { path: { idOrSlug: 'no-post-6650c3a2f1d2b3c4d5e6f7ff' } } }))",
      '  .then(titleOf, (error: unknown) => console.log(error instanceof ApiError && error.problem.code));',
    ];
    writeFileSync(join(project, 'main.ts'), lines.join('\n'));

    const options = ['--module', module, '--moduleResolution', resolution, '--ignoreDeprecations', '6.0'];
    await compile(join(project, 'main.ts'), ...options);

    const { stdout } = await run(process.execPath, [join(project, 'main.js')]);
    expect(stdout).toBe('post_not_found\n');
  });

  it('is at most 15 kB minified, with its dependency', async () => {
    const code = await bundle("export * from 'opencanvas-sdk'");

    expect(Buffer.byteLength(code)).toBeLessThanOrEqual(15_000);
  });

  describeWith('chromium', 'in a browser', (executablePath) => {
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>a page</title>');
    });
    let browser: Browser;

    beforeAll(async () => {
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
      browser = await chromium.launch({ executablePath, args });
    });
    afterAll(async () => {
      await browser.close();
      site.close();
    });

    /** Opens a page of another origin than the server. */
    async function tabOf(owner: Pick<Browser, 'newPage'>): Promise<Page> {
      const page = await owner.newPage();
      page.setDefaultTimeout(90_000);
      await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
      return page;
    }

    it('runs the tour from another origin', async () => {
      const page = await tabOf(browser);
      const lines: string[] = [];
      page.on('console', (message) => lines.push(message.text()));
      const refused = 'Failed to load resource: the server responded with a status of 412 (Precondition Failed)';

      await runModule(page, await bundle(readFileSync(join(folder, 'tour.ts'), 'utf8')));

      expect(lines.filter((line) => line !== refused)).toEqual(OUTPUT);
    });

    it('refreshes in one tab at a time, with the same token', async () => {
      const context = await browser.newContext();
      const tabs = [await tabOf(context), await tabOf(context)];
      const client = `new OpenCanvas({ baseUrl: '${app.url}', storage: localStorage, storageKey: 'tokens' })`;
      const begin = `import { OpenCanvas, unwrap } from 'opencanvas-sdk'; const client = ${client};`;
      const signIn = `await unwrap(client.POST('/v1/auth/login', { body: { login: 'demo_writer', password: 'opencanvas-demo-2025' } }));`;
      const expire = `localStorage.setItem('tokens', JSON.stringify({ ...JSON.parse(localStorage.getItem('tokens')), accessToken: 'a.b.c' }));`;
      await runModule(tabs[0]!, await bundle(begin + signIn + expire));
      await tabs[1]!.waitForFunction("localStorage.getItem('tokens')?.includes('a.b.c')");
      const refusals = Promise.all(tabs.map((tab) => tab.waitForResponse((response) => response.status() === 401)));
      const sent: string[] = [];
      let active = 0;
      let mostActive = 0;
      await context.route('**/v1/auth/refresh', async (route) => {
        sent.push(route.request().postData()!);
        mostActive = Math.max(mostActive, ++active);
        // Gives the other tab time to refresh, too.
        await refusals;
        await sleep(200);
        const response = await route.fetch();
        active -= 1;
        await route.fulfill({ response });
      });

      const getMe = await bundle(`${begin} document.title = (await unwrap(client.GET('/v1/auth/me'))).username;`);
      await Promise.all(tabs.map((tab) => runModule(tab, getMe)));

      expect(await Promise.all(tabs.map((tab) => tab.title()))).toEqual(['demo_writer', 'demo_writer']);
      // A tab may see the tokens of the other tab late. The server then returns the same tokens.
      expect([mostActive, new Set(sent).size]).toEqual([1, 1]);
    });
  });

  /** @returns the paths of the packages */
  async function pack(...options: string[]): Promise<string[]> {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, ...options]);
    const packed = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
    return packed.map(({ filename }) => join(folder, filename));
  }

  async function compile(file: string, ...options: string[]): Promise<void> {
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
    const target = ['--target', 'es2022', '--lib', 'es2022,dom,dom.asynciterable'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, ...strict, ...target, ...options, file], { cwd: folder });
  }

  async function bundle(contents: string): Promise<string> {
    const stdin = { contents, resolveDir: folder, loader: 'ts' } as const;
    const { outputFiles } = await build({
      stdin,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
    });
    return outputFiles[0]!.text;
  }
});

/** Resolves at the end of the module and rejects with its error. */
async function runModule(page: Page, code: string): Promise<void> {
  await page.evaluate(`import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })))`);
}
