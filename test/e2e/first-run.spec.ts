import { jest } from '@jest/globals';
import { announceSetup } from '../../src/first-run.js';
import type { Host } from '../../src/platform/cluster/host-start.js';
import { setupCodeOf } from '../../src/config/token-secrets.js';
import { AppConfig } from '../../src/config/app-config.js';
import { type Browser, chromium, type Page } from 'playwright-core';
import { TEST_PASSWORD } from '../support/accounts.js';
import { type TestApp, startApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { describeWith } from '../support/optional.js';
import { expectProblem } from '../support/problem.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';

const ADMIN = { username: 'ada_l', fullName: 'Ada Lovelace', email: 'ada@example.org', password: TEST_PASSWORD };
const codeOf = (app: TestApp): string => setupCodeOf(app.app.get(AppConfig).auth.tokenSecrets);

describe('the first run', () => {
  let app: TestApp;

  beforeEach(async () => void (app = await startApp({ oneHost: 'counts the accounts of one server' })));
  afterEach(() => app.close());

  const home = () => fetch(app.url, { headers: { accept: 'text/html' }, redirect: 'manual' });
  const setUp = (body: object = {}) =>
    app.client.post('/v1/instance/setup', { body: { ...ADMIN, code: codeOf(app), name: 'Looms', ...body } });

  it('creates the admin, names the site and chooses who may register', async () => {
    const { headers, status } = await home();
    expect([status, headers.get('location')]).toEqual([301, '/welcome']);
    expect((await app.client.get('/v1/instance')).body).toMatchObject({ name: 'OpenCanvas', needsSetup: true });

    const answer = await setUp({ registration: 'closed' });

    expect(answer.status).toBe(200);
    expect(answer.body.user).toMatchObject({ username: 'ada_l', role: 'admin', email: ADMIN.email });
    const instance = (await app.client.get('/v1/instance')).body;
    expect(instance).toMatchObject({ name: 'Looms', registration: 'closed', needsSetup: false });
    expect(await (await home()).text()).toContain('<title>Looms</title>');
    expectProblem(await app.client.post('/v1/auth/register', { body: ADMIN }), 403, 'registration_closed');
    const log = await app.client.get('/v1/admin/log', { token: answer.body.accessToken });
    expect(log.body.data.map(({ kind, detail }: { kind: string; detail: string }) => [kind, detail])).toEqual([
      ['set_role', 'user -> admin'],
      ['change_settings', 'name, registration closed'],
    ]);
  });

  it('refuses a wrong code, and a second admin', async () => {
    expectProblem(await setUp({ code: 'x'.repeat(22) }), 403, 'invalid_setup_code');
    expect((await setUp()).status).toBe(200);
    expectProblem(await setUp({ username: 'other_1', email: 'other@example.org' }), 409, 'setup_done');
  });

  it('is announced with a link, until the site has an admin', async () => {
    const config = app.app.get(AppConfig);
    const log = jest.spyOn(console, 'log').mockReturnValue();
    const announced = async (): Promise<unknown[]> => {
      await announceSetup({ config } as Host);
      return log.mock.calls.splice(0).flat();
    };

    const before = await announced();
    expect((await setUp()).status).toBe(200);
    const after = await announced();
    log.mockRestore();

    const link = `${config.site.mailPages}/welcome#code=${codeOf(app)}`;
    expect([before, after]).toEqual([[`[primary] No account is an admin: open ${link}`], []]);
  });

  it('creates one admin for concurrent requests', async () => {
    const bodies = [1, 2, 3].map((index) => ({ username: `ada_${index}`, email: `ada${index}@example.org` }));

    const answers = await Promise.all(bodies.map(setUp));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('is for a site with accounts without an admin, too', async () => {
    await app.client.post('/v1/auth/register', { body: { ...ADMIN, username: 'first', email: 'first@example.org' } });

    expect((await home()).status).toBe(200);
    expect((await setUp()).status).toBe(200);
  });
});

describe('the settings of the site', () => {
  let app: TestApp;
  let other: TestApp;
  let { send, ok } = {} as ReturnType<typeof verbsOf>;

  beforeAll(async () => {
    app = await startApp({ env: { REGISTRATION: 'approval' } });
    // Only a host without a jobs process receives events in one process.
    other = await startApp({ beside: app, env: { REGISTRATION: 'approval', JOBS_ENABLED: 'false' } });
    ({ send, ok } = verbsOf(app));
  });
  afterAll(async () => {
    await other.close();
    await app.close();
  });

  it('are changed by admins, and reach pages and feeds of all processes', async () => {
    const admin = await app.world.person({ role: 'admin' });
    const title = async (at: TestApp) =>
      /<title>(.*?)<\/title>/.exec(await (await fetch(at.url, { headers: { accept: 'text/html' } })).text())![1];
    const feed = async (at: TestApp) =>
      ((await (await fetch(`${at.url}/v1/feeds/latest.json`)).json()) as { title: string }).title;
    expect([await title(app), await title(other)]).toEqual(['OpenCanvas', 'OpenCanvas']);
    expect(await feed(other)).toBe('OpenCanvas: newest posts');

    const changed = await ok(admin, 'PATCH', 'instance', { name: 'Looms & Letters' });

    expect(changed).toMatchObject({ name: 'Looms & Letters', registration: 'approval' });
    expect(await title(app)).toBe('Looms &amp; Letters');
    await until(async () => ((await title(other)) === 'Looms &amp; Letters' ? true : null));
    await until(async () => ((await feed(other)) === 'Looms & Letters: newest posts' ? true : null));
  });

  it('do not change what an environment variable sets', async () => {
    const admin = await app.world.person({ role: 'admin' });

    const answer = await send(admin, 'PATCH', 'instance', { registration: 'open', name: 'Another' });

    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors).toEqual([
      { field: 'registration', message: 'is set by the environment variable REGISTRATION' },
    ]);
    expect((await ok(admin, 'GET', 'instance')).name).not.toBe('Another');
  });
});

describeWith('chromium', 'the welcome page', (executablePath) => {
  let app: TestApp;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    app = await startApp({ oneHost: 'a browser reads pages of one server' });
    browser = await chromium.launch({
      executablePath,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    page = await browser.newPage({ viewport: { width: 320, height: 800 } });
    page.setDefaultTimeout(60_000);
  });
  afterAll(async () => {
    await browser?.close();
    await app.close();
  });

  it('leads from an empty database to the home page of a named site, once', async () => {
    await page.goto(app.url);
    expect(new URL(page.url()).pathname).toBe('/welcome');
    await page.getByLabel('Setup code').waitFor();
    await page.goto('about:blank');
    await page.goto(`${app.url}/welcome#code=${codeOf(app)}`);
    await page.getByLabel('Name of the site').fill('Looms');
    await page.getByLabel('Who may register').selectOption({ label: 'People with an invite' });
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Name', { exact: true }).fill(ADMIN.fullName);
    await page.getByLabel('E-mail address').fill(ADMIN.email);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Create the site' }).click();
    // a reserved name
    await page.locator('.field .failure').waitFor();
    await page.getByLabel('Username').fill(ADMIN.username);
    await page.keyboard.press('Enter');

    await page.waitForURL(`${app.url}/`);
    await page.getByRole('link', { name: 'Looms' }).waitFor();
    expect((await app.client.get('/v1/instance')).body).toMatchObject({ name: 'Looms', registration: 'invite' });

    await page.goto(`${app.url}/site-settings`);
    await page.getByLabel('Who may register').selectOption({ label: 'No new accounts' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect((await app.client.get('/v1/instance')).body).toMatchObject({ name: 'Looms', registration: 'closed' });

    await page.goto(`${app.url}/welcome`);
    await page.getByLabel('Setup code').fill(codeOf(app));
    for (const [label, value] of [
      ['Username', 'other'],
      [/^Name$/, 'Other'],
      ['E-mail address', 'other@example.org'],
      ['Password', TEST_PASSWORD],
    ] as const)
      await page.getByLabel(label).fill(value);
    await page.keyboard.press('Enter');
    await page.getByText('is set up already').waitFor();
  });
});
