import type { Page } from 'playwright-core';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { until, WAIT_MS } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import { expectedSignature, WebhookReceiver } from '../support/webhook-receiver.js';

const receiver = await WebhookReceiver.start();

describeWith('chromium', 'the page of webhooks', (executablePath) => {
  const env = { JOBS_ENABLED: 'false', OUTGOING_ALLOWED_PRIVATE: receiver.host };
  const app = useApp({ env, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;

  beforeEach(async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    page = await browser().newPage({ viewport: { width: 1_280, height: 900 }, permissions });
    page.setDefaultTimeout(WAIT_MS / 2);
    page.on('dialog', (dialog) => void dialog.accept());
  });
  afterEach(() => page.close());
  afterAll(() => receiver.stop());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const work = () => app.app.get(TaskWorker).work(AbortSignal.timeout(WAIT_MS));
  const open = async (username: string): Promise<void> => {
    await page.goto(`${app.url}/settings/webhooks`);
    await submitSignIn(page, username);
    await page.getByLabel('URL of your program').waitFor();
  };

  it('adds, tests, changes and deletes a webhook, and shows its deliveries', async () => {
    const person = await world.person({ overHttp: true });
    const url = `http://${receiver.host}/page`;
    await open(person.username);
    await page.getByText('You have no webhooks.').waitFor();
    await page.getByLabel('URL of your program').fill('https://10.0.0.1/');
    await page.getByLabel('A post is published').check();
    await page.getByLabel('A new follower').check();
    await button('Add a webhook').click();
    await page.locator('.field .failure').waitFor();
    expect(await page.getByLabel('A post is published').isChecked()).toBe(true);

    await page.getByLabel('URL of your program').fill(url);
    await page.getByLabel('Description').fill('rebuilds my site');
    await button('Add a webhook').click();
    const secret = await page.getByLabel('Secret of this webhook').inputValue();
    await button('Copy').click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    const [created] = (await ok(person, 'GET', 'webhooks')).data;
    expect(created).toMatchObject({ url, description: 'rebuilds my site', isSiteWide: false });
    expect(created.events).toEqual(['post.published', 'follow.created']);

    receiver.on('/page', (response) => response.writeHead(receiver.received.length === 1 ? 503 : 204).end());
    await button(`Test: ${url}`).click();
    await page.locator('.webhook .rows').getByText('Waiting').waitFor();
    await work();
    await page.getByText('1 attempt, last: 503').waitFor();
    await app.db.collection('tasks').updateMany({}, { $set: { runAt: new Date() } });
    await work();
    await page.locator('.webhook .rows').getByText('Delivered').waitFor();
    await button(/^Send again/).click();
    await page.locator('.webhook .rows').getByText('Waiting').waitFor();
    await work();
    await until(() => receiver.at('/page').length === 3 || null);
    for (const each of receiver.at('/page'))
      expect(each.headers['webhook-signature']).toBe(expectedSignature(each, secret));

    await button(`New secret: ${url}`).click();
    await until(async () => (await page.getByLabel('Secret of this webhook').inputValue()) !== secret || null);
    await button(`Turn off: ${url}`).click();
    await button(`Turn on: ${url}`).waitFor();
    expect((await ok(person, 'GET', `webhooks/${created.id}`)).isEnabled).toBe(false);
    await page.reload();
    await button(`Turn on: ${url}`).waitFor();
    expect(await page.content()).not.toContain('whsec_');
    await button(`Delete: ${url}`).click();
    await page.getByText('You have no webhooks.').waitFor();
    expect((await ok(person, 'GET', 'webhooks')).data).toEqual([]);
  });

  it('offers events of the site to admins only', async () => {
    const [person, admin] = [
      await world.person({ overHttp: true }),
      await world.person({ overHttp: true, role: 'admin' }),
    ];
    await open(person.username);
    expect(await page.getByLabel('Events of').count()).toBe(0);
    await page.context().clearCookies();
    await page.evaluate('localStorage.clear()');

    await open(admin.username);
    expect(await page.getByLabel('A new report').count()).toBe(0);
    await page.getByLabel('Events of').selectOption('The whole site');
    expect(await page.getByLabel('A new follower').count()).toBe(0);
    await page.getByLabel('URL of your program').fill(`http://${receiver.host}/site`);
    await page.getByLabel('A new report').check();
    await button('Add a webhook').click();
    await page.getByLabel('Secret of this webhook').waitFor();

    expect((await ok(admin, 'GET', 'webhooks')).data).toMatchObject([{ events: ['report.opened'], isSiteWide: true }]);
  });

  it('has no violations that axe finds with deliveries, fits a phone, and works by keyboard', async () => {
    const person = await world.person({ overHttp: true });
    const url = `http://${receiver.host}/a-long-path-of-a-program-that-rebuilds-my-site`;
    const { id } = await world.webhook({ by: person, url, description: 'rebuilds my site' });
    await ok(person, 'POST', `webhooks/${id}/ping`);
    await work();
    await page.setViewportSize({ width: 320, height: 900 });
    await open(person.username);
    await button(`Deliveries: ${url}`).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Delivered').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Test');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });
});
