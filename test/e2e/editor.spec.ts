import type { BrowserContext, Locator, Page } from 'playwright-core';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { TINY_PNG } from '../support/pictures.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import type { PersonWithPassword } from '../support/world.js';
import { VECTORS } from '../support/xss-vectors.js';

describeWith('chromium', 'the editor in a browser', (executablePath) => {
  const app = useApp({ oneHost: 'a browser writes to one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let context: BrowserContext;
  let page: Page;
  let writer: PersonWithPassword;
  /** dialogs, errors, violations of the policy */
  let complaints: string[];

  beforeEach(async () => {
    writer = await world.person({ overHttp: true });
    context = await browser().newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce' });
    complaints = [];
    page = await newPage();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  async function newPage(): Promise<Page> {
    const one = await context.newPage();
    one.setDefaultTimeout(20_000);
    one.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    one.on('pageerror', (error) => complaints.push(error.message));
    return one;
  }
  async function open(path: string, on = page): Promise<void> {
    await on.goto(app.url + path);
    await signIn(on, on.locator('.writing, .drafts'));
  }
  async function signIn(on: Page, content: Locator): Promise<void> {
    const login = on.getByLabel('Username or e-mail address');
    await login.or(content).first().waitFor();
    if (!(await login.isVisible())) return;
    await submitSignIn(on, writer.username);
    await content.waitFor();
  }
  const text = (on = page) => on.getByRole('textbox', { name: 'Text in Markdown' });
  const title = (on = page) => on.getByLabel('Title', { exact: true });
  const tags = () => page.getByRole('textbox', { name: /^Tags/ });
  const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
  const state = (words: string, on = page) =>
    on
      .getByRole('status')
      .filter({ hasText: words === 'Saved' ? /^Saved$/ : words })
      .first()
      .waitFor();
  const draftId = (on = page): string => new URL(on.url()).pathname.split('/')[2]!;
  const savedDraft = async (): Promise<{ title: string; content: string }> => ok(writer, 'GET', `drafts/${draftId()}`);

  it('writes a post with a dropped image, saves it, shows it, and publishes it once', async () => {
    await open('/write');
    await title().fill('Notes on the engine');
    await page.getByLabel('Subtitle').fill('What it weaves');
    await text().click();
    await page.keyboard.type('It weaves ');
    await page.keyboard.press('Control+b');
    await page.keyboard.type('patterns');
    await page.keyboard.press('End');
    const dropped = await page.evaluateHandle(`
      const bytes = Uint8Array.from(atob('${TINY_PNG.toString('base64')}'), (sign) => sign.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'the [engine].png', { type: 'image/png' }));
      data;
    `);
    await text().dispatchEvent('drop', { dataTransfer: dropped });
    await page.locator('.preview-pane img[alt="the engine"]').waitFor();
    await page.locator('.preview-pane strong', { hasText: 'patterns' }).waitFor();
    await state('Saved');
    expect(await savedDraft()).toMatchObject({
      title: 'Notes on the engine',
      subtitle: 'What it weaves',
      content: expect.stringMatching(/^It weaves \*\*patterns\*\*\s+!\[the engine\]\(\S*\/v1\/media\/files\/\S+\)\s*$/),
    });

    await button('Publish').click();
    await page.getByRole('alert').filter({ hasText: 'type' }).waitFor();
    await page.getByLabel('Type').selectOption('Article');
    await tags().fill('Looms, engines');
    await button('Publish').dblclick();
    await page.waitForURL(/\/p\/notes-on-the-engine-/);
    await page.getByRole('heading', { name: 'Notes on the engine', level: 1 }).waitFor();
    const { data } = await ok(writer, 'GET', 'posts/mine');
    expect(data).toMatchObject([{ title: 'Notes on the engine', tags: ['looms', 'engines'], visibility: 'public' }]);
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.includes(":draft:"))')).toEqual([]);
  });

  it('keeps the text over a reload, an ended session and an unreachable server, and saves it afterwards', async () => {
    await open('/write');
    await page.route('**/v1/drafts**', (route) => route.abort());
    await title().fill('Written on a train');
    await text().fill('In a tunnel.');
    await state('Not saved yet');
    await page.reload();
    await page.unroute('**/v1/drafts**');
    await signIn(page, page.locator('.writing'));
    expect(await title().inputValue()).toBe('Written on a train');
    await state('Saved');
    expect(await savedDraft()).toMatchObject({ title: 'Written on a train', content: 'In a tunnel.' });

    await ok(writer, 'DELETE', 'auth/sessions');
    await text().fill('Out of the tunnel.');
    await state('Sign in again');
    expect(await text().isVisible()).toBe(false);
    await submitSignIn(page, writer.username);
    await state('Saved');
    expect(await text().textContent()).toBe('Out of the tunnel.');

    const again = await ok(null, 'POST', 'auth/login', { login: writer.username, password: TEST_PASSWORD });
    writer = { ...writer, token: again.accessToken };
    expect((await savedDraft()).content).toBe('Out of the tunnel.');
  });

  it('saves the other fields when one is wrong, and names the reason', async () => {
    await open('/write');
    await title().fill('Looms');
    await tags().fill('lo*ms');
    await text().fill('It weaves.');
    await state('Correct the marked fields');
    expect(await savedDraft()).toMatchObject({ title: 'Looms', content: 'It weaves.', tags: [] });
    expect(await tags().getAttribute('aria-invalid')).toBe('true');
    await tags().fill('looms');
    await state('Saved');
    expect(await savedDraft()).toMatchObject({ tags: ['looms'] });
  });

  it('shows both texts when another tab has saved, and continues with the chosen one', async () => {
    await open('/write');
    await text().fill('One.');
    await state('Saved');
    const other = await newPage();
    await open(`/write/${draftId()}`, other);
    await text(other).fill('Two.');
    await state('Saved', other);
    await text().fill('Three.');
    await page.getByRole('heading', { name: 'The draft was also changed elsewhere' }).waitFor();
    expect(await page.getByLabel('Your text here').inputValue()).toBe('Three.');
    expect(await page.getByLabel('The saved text').inputValue()).toBe('Two.');
    expect(await axeProblems(page)).toEqual([]);
    await page.reload();
    await signIn(page, page.locator('.compare'));
    await button('Continue with your text').click();
    await state('Saved');
    expect((await savedDraft()).content).toBe('Three.');

    await text(other).fill('Four.');
    await button('Continue with the saved text', other).click();
    await state('Saved', other);
    expect(await text(other).textContent()).toBe('Three.');
    expect((await savedDraft()).content).toBe('Three.');
  });

  it('schedules a draft, shares it, and sets it back to an earlier version', async () => {
    await open('/write');
    await title().fill('Looms');
    await page.getByLabel('Type').selectOption('Poem');
    await text().fill('One.');
    await state('Saved');
    await text().fill('Two.');
    await state('Saved');
    await page.getByText('Publish later').click();
    await page.getByLabel('Time').fill('2027-06-01T09:30');
    await button('Schedule').click();
    await page.getByText('It will be published on').waitFor();
    expect(await savedDraft()).toMatchObject({ state: 'scheduled' });
    await button('Cancel the schedule').click();
    await page.getByText('Publish later').waitFor();

    await page.getByText('Share the draft').click();
    await button('Create a link').click();
    const link = await page.getByLabel('Link to the draft').inputValue();
    const reader = await newPage();
    await reader.goto(link);
    await reader.getByRole('heading', { name: 'Looms' }).waitFor();
    await reader.getByText('Two.').waitFor();
    expect(await axeProblems(reader)).toEqual([]);

    await page.getByText('Earlier versions').click();
    await page
      .getByRole('button', { name: /^Version/ })
      .first()
      .click();
    expect(await page.getByLabel('The earlier text').inputValue()).toBe('Looms\n\nOne.');
    await button('Continue with this version').click();
    await state('Saved');
    expect(await text().textContent()).toBe('One.');
    expect((await savedDraft()).content).toBe('One.');
  });

  it('edits a published post, adds it to a series, and deletes a draft', async () => {
    const post = await world.post({ by: writer, title: 'Looms', content: 'One.' });
    const series = await world.collection({ by: writer, kind: 'series', title: 'Machines', posts: [] });
    await open(`/write?post=${post.id}`);
    await text().fill('Two.');
    await state('Saved');
    await page.getByText('Add to a series or reading list').click();
    await page.getByRole('combobox', { name: /Add to a series/ }).selectOption('Series: Machines');
    await button('Publish the changes').click();
    await page.waitForURL(/\/p\/looms-/);
    await page.getByText('Two.').waitFor();
    const { data } = await ok(writer, 'GET', `collections/${series.id}/posts`);
    expect(data).toMatchObject([{ post: { id: post.id } }]);

    await open(`/write?post=${post.id}`);
    page.once('dialog', (dialog) => void dialog.accept());
    const id = draftId();
    await button('Delete the draft').click();
    await page.waitForURL('**/drafts');
    expect((await app.client.get(`/v1/drafts/${id}`, { token: writer.token })).status).toBe(404);
  });

  it('lists drafts and posts page by page, unlists, deletes and restores', async () => {
    for (let at = 1; at <= 21; at++) await ok(writer, 'POST', 'drafts', { title: `Draft ${at}` });
    const post = await world.post({ by: writer, title: 'Looms', content: 'It weaves.' });
    await open('/drafts');
    const rows = page.locator('.rows li');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(20);
    await button('More').click();
    await page.getByRole('link', { name: 'Draft 1', exact: true }).waitFor();
    expect(await rows.count()).toBe(21);
    page.on('dialog', (dialog) => void dialog.accept());
    await rows.first().getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Draft 21' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Posts', exact: true }).click();
    await button('Unlist').waitFor();
    await page.getByLabel('Who can read it').selectOption('private');
    await page.getByText('No posts yet').waitFor();
    await page.getByLabel('Who can read it').selectOption('');
    await button('Unlist').click();
    await button('Show to everyone').waitFor();
    expect((await app.client.get(`/v1/posts/${post.id}`)).body.visibility).toBe('unlisted');
    expect(await axeProblems(page)).toEqual([]);
    await button('Delete').click();
    await page.getByText('No posts yet').waitFor();
    expect((await app.client.get(`/v1/posts/${post.id}`)).status).toBe(404);

    await page.getByRole('link', { name: 'Trash' }).click();
    await button('Restore').click();
    await page.getByText('The trash is empty').waitFor();
    const { data } = await ok(writer, 'GET', 'posts/mine');
    expect(data).toMatchObject([{ title: 'Looms', visibility: 'unlisted' }]);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  });

  it.each(['light', 'dark'] as const)('has no violations that axe finds, in %s colors', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await open('/write');
    await text().fill(
      '# Notes\n\nIt *weaves* **patterns**, `code`, [a link](https://example.org).\n\n> Quote\n\n$x^2$',
    );
    await page.locator('.preview-pane .katex').first().waitFor();
    await state('Saved');
    for (const summary of await page.locator('summary').all()) await summary.click();
    await page.getByLabel('Add to a series or reading list').waitFor();
    expect(await axeProblems(page)).toEqual([]);
  });

  it('fits a phone, where the preview replaces the text', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    await open('/write');
    await text().fill(`${'averylongword'.repeat(20)}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |`);
    await state('Saved');
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await button('Preview').click();
    await page.locator('.preview-pane td').first().waitFor();
    expect(await text().isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await button('Preview').click();
    expect(await text().isVisible()).toBe(true);
  });

  it('is used with the keyboard: Tab leaves the text, and shortcuts format it', async () => {
    await open('/write');
    await text().focus();
    await page.keyboard.type('loom');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('example.org');
    expect(await text().textContent()).toBe('[loom](example.org)');
    // Chromium itself would keep the style of a replaced link, which the policy refuses with a message.
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('loom');
    await page.keyboard.press('Control+Alt+q');
    expect(await text().textContent()).toBe('> loom');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('weaves');
    expect(await text().locator('.cm-line').allTextContents()).toEqual(['> loom', '> weaves']);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).not.toContain('markdown');
  });

  it('runs no script of a title or a text', async () => {
    page.on('dialog', (dialog) => {
      complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const isOwn = new URL(request.url()).origin === new URL(app.url).origin;
      if (!isOwn && request.resourceType() !== 'image') complaints.push(`${request.resourceType()} ${request.url()}`);
    });
    await open('/write');
    await title().fill('<img src=x onerror=alert(1)>');
    await text().fill([...VECTORS, 'The end.'].join('\n\n'));
    await page.locator('.preview-pane', { hasText: 'The end.' }).waitFor();
    await state('Saved');
    await page.locator('.preview-pane a').first().waitFor();
    await until(async () => ((await page.evaluate('document.readyState')) === 'complete' ? true : null));
  });
});
