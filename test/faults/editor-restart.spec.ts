import { useBrowser } from '../support/browser.js';
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

  it('saves the typed text when its server was killed during a save', async () => {
    const { host, author, client } = server;
    const page = await browser().newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${server.url}/write`);
    await page.getByLabel('Username or e-mail address').fill(author.username);
    await page.getByLabel('Password').fill(author.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const text = page.getByRole('textbox', { name: 'Text in Markdown' });
    const saved = page.getByRole('status').filter({ hasText: /^Saved$/ });
    await text.fill('One.');
    await saved.waitFor();

    const save = page.waitForRequest((request) => request.method() === 'PATCH');
    await text.fill('Two.');
    await save;
    host.signalGroup('SIGKILL');
    await host.exit();
    await text.fill('Three.');
    await page.getByRole('status').filter({ hasText: 'Not saved' }).waitFor();
    host.start();
    await host.url();

    await saved.waitFor();
    const id = new URL(page.url()).pathname.split('/')[2];
    const { body } = await client.get(`/v1/drafts/${id}`, { token: author.token });
    expect(body.content).toBe('Three.');
    expect(await text.textContent()).toBe('Three.');
  });
});
