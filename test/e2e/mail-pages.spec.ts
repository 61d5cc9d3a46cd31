import type { Page } from 'playwright-core';
import { EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { PASSWORD_RESET_REQUESTED } from '../../src/auth/recovery/recovery.events.js';
import { useApp } from '../support/app.js';
import { queuedMails } from '../support/mails.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { runTasks } from '../support/tasks.js';
import { axeProblems } from '../support/axe.js';
import { drainActivity, verbsOf } from '../support/verbs.js';
import type { PersonWithPassword } from '../support/world.js';

const NEW_PASSWORD = 'difference engine no. 2';

// These pages exist without a site, too.
describeWith('chromium', 'the pages that mails link to', (executablePath) => {
  const app = useApp({ env: { SITE: 'off' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;
  let person: PersonWithPassword;

  beforeEach(async () => {
    page = await browser().newPage();
    page.setDefaultTimeout(60_000);
    person = await world.person({ overHttp: true });
  });
  afterEach(() => page.close());

  /** Opens the link of the latest mail whose subject contains these words; of several links, that with this path. */
  async function openLink(subject: string, path = ''): Promise<void> {
    const mails = await queuedMails(app);
    const mail = mails.findLast((one) => one.to === person.email && one.subject.includes(subject))!;
    const links = [mail.link!, ...(mail.lists ?? []).flatMap(({ items }) => items.map(({ link }) => link))];
    const link = new URL(links.find((one) => one?.includes(path))!);
    await page.goto(app.url + link.pathname + link.hash);
  }
  const button = (name: string) => page.getByRole('button', { name });
  const result = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  async function signIn(): Promise<void> {
    await submitSignIn(page, person.username);
  }

  it('replace a forgotten password, once', async () => {
    await page.goto(`${app.url}/forgot-password`);
    await page.getByLabel('E-mail address').fill(person.email);
    await button('Send the mail').click();
    await result('the mail arrives');
    await runTasks(app, [PASSWORD_RESET_REQUESTED]);

    await openLink('Choose a new password');
    await button('Save the password').waitFor();
    // neither the history nor a screenshot shows the token
    expect(page.url()).toBe(`${app.url}/reset-password`);
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await button('Save the password').click();
    await result('Your password was changed');
    await ok(null, 'POST', 'auth/login', { login: person.username, password: NEW_PASSWORD });

    await openLink('Choose a new password');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await button('Save the password').click();
    await page.getByRole('link', { name: 'Request another link' }).click();
    await page.getByRole('heading', { name: 'Forgotten password' }).waitFor();
  });

  it('confirm an address with one click, and say when a link was used', async () => {
    await openLink('Confirm your e-mail address');
    await button('Confirm').click();
    await result('is confirmed');
    expect((await ok(person, 'GET', 'auth/me')).isEmailVerified).toBe(true);

    await openLink('Confirm your e-mail address');
    await button('Confirm').click();
    await page.getByText('was used before').waitFor();
  });

  it('keep the entered text when a field is wrong or the server is away, and show why', async () => {
    await page.goto(`${app.url}/reset-password#token=${'a'.repeat(43)}`);
    const field = page.getByLabel('New password');
    await field.fill('a'.repeat(20));
    await page.route('**/v1/**', (route) => route.abort());
    await button('Save the password').click();
    await page.getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor();
    expect(await field.inputValue()).toBe('a'.repeat(20));
    await page.unroute('**/v1/**');

    await page.goto(`${app.url}/appeal#token=${'a'.repeat(43)}`);
    const text = page.getByLabel('Why should the decision change?');
    await text.fill('   ');
    await button('Send the appeal').click();
    await page.locator('.field .failure').waitFor();
    expect(await text.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('textarea:focus').count()).toBe(1);
  });

  it('show an action of moderators to the account, and take its appeal', async () => {
    await world.moderate({ kind: 'warn', targetKind: 'user', targetId: person.id });
    await openLink('Your account was warned');
    await signIn();
    await page.getByText('An advertisement.').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel('Why should the decision change?').fill('It was no advertisement.');
    await button('Send the appeal').click();
    await result('It was no advertisement.');
    const { data } = await ok(person, 'GET', 'users/me/moderation');
    expect(data[0].appeal).toMatchObject({ state: 'open', text: 'It was no advertisement.' });
  });

  it('list notifications, and mark them as read', async () => {
    const post = await world.post({ by: person, title: 'Notes on the engine' });
    const reader = await world.person({ fullName: 'Ada Lovelace' });
    await world.comment({ by: reader, on: post.id, content: 'It weaves.' });
    await drainActivity(app);
    await page.goto(`${app.url}/notifications`);
    await signIn();
    await page.getByText('Ada Lovelace commented on Notes on the engine').waitFor();
    await page.getByText('It weaves.').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await button('Mark all as read').click();
    await result('All notifications are read');
    expect(await ok(person, 'GET', 'notifications/unread-count')).toMatchObject({ count: 0 });
  });

  it('let a banned account appeal and request its data', async () => {
    await world.moderate({ kind: 'ban', targetKind: 'user', targetId: person.id });
    await openLink('Your account was banned', 'appeal');
    await page.getByLabel('Why should the decision change?').fill('It was no advertisement.');
    await button('Send the appeal').click();
    await result('was sent');
    await openLink('Your account was banned', 'export');
    await button('Request the file').click();
    await result('when the file is ready');
  });

  it('give an export to its owner', async () => {
    const { id } = await ok(person, 'POST', 'users/me/exports');
    await page.goto(`${app.url}/exports/${id}`);
    await signIn();
    await result('is being written');
    await runTasks(app, [EXPORT_REQUESTED]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /Download/ }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.zip$/);
  });
});
