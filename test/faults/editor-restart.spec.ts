import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { freePorts } from '../support/server-process.js';
import { useServer } from '../support/server.js';

describeWith('chromium', 'the editor', (executablePath) => {
  let port: number;
  beforeAll(async () => {
    [port] = (await freePorts(1)) as [number];
  });
  const server = useServer({ environment: () => ({ HTTP_PORT: String(port) }) });
  const browser = useBrowser(executablePath);

  let page: Page;
  beforeEach(async () => {
    page = await browser().newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${server.url}/write`);
    await submitSignIn(page, server.author.username, server.author.password);
  });
  afterEach(() => page.close());
  const saved = () => page.getByRole('status').filter({ hasText: /^Saved$/ });

  it('saves the typed text when its server was killed during a save', async () => {
    const { host, author, client } = server;
    const text = page.getByRole('textbox', { name: 'Text in Markdown' });
    await text.fill('One.');
    await saved().waitFor();

    const save = page.waitForRequest((request) => request.method() === 'PATCH');
    await text.fill('Two.');
    await save;
    host.signalGroup('SIGKILL');
    await host.exit();
    await text.fill('Three.');
    await page.getByRole('status').filter({ hasText: 'Not saved' }).waitFor();
    host.start();
    await host.url();

    await saved().waitFor();
    const id = new URL(page.url()).pathname.split('/')[2];
    const { body } = await client.get(`/v1/drafts/${id}`, { token: author.token });
    expect(body.content).toBe('Three.');
    expect(await text.textContent()).toBe('Three.');
  });

  it('publishes once when its server was killed during the publication', async () => {
    const { host, author, client } = server;
    const publish = page.getByRole('button', { name: 'Publish', exact: true });
    await page.getByLabel('Title', { exact: true }).fill('Written once');
    await page.getByRole('textbox', { name: 'Text in Markdown' }).fill('It weaves.');
    await page.getByLabel('Type').selectOption('Article');
    await page.getByRole('textbox', { name: /^Tags/ }).fill('looms');
    await saved().waitFor();

    const sent = page.waitForRequest((request) => request.url().endsWith('/publish'));
    await publish.click();
    await sent;
    host.signalGroup('SIGKILL');
    await host.exit();
    host.start();
    await host.url();

    // The SDK repeats the request for some seconds. Then the author does.
    while (!page.url().includes('/p/')) {
      if (await publish.isVisible()) await publish.click({ timeout: 1_000 }).catch(() => undefined);
      await sleep(500);
    }
    const { body } = await client.get('/v1/posts/mine', { token: author.token });
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Written once']);
  });
});
