import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { IMPORT_STARTED } from '../../src/imports/imports.events.js';
import { settings } from '../../web/src/texts/en/settings.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';
import { codeOf } from '../support/authenticator-app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { TINY_PNG } from '../support/pictures.js';
import { runTasks } from '../support/tasks.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { PersonWithPassword } from '../support/world.js';
import { VECTORS } from '../support/xss-vectors.js';
import { hugoPost, zipOf } from '../support/zips.js';

const NEW_PASSWORD = 'difference engine no. 2';
/** Browsers allow passkeys here without TLS. */
const SITE = 'http://localhost';
/** another site */
const blog = await WebhookReceiver.start();
const SECTIONS = Object.keys(settings.sections);

describeWith('chromium', 'the settings of an account', (executablePath) => {
  // Without jobs, a process follows the change stream.
  const env = { JOBS_ENABLED: 'false', AUTH_PASSKEY_ORIGINS: SITE, OUTGOING_ALLOWED_PRIVATE: blog.host };
  const app = useApp({ env, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok, send } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;
  let person: PersonWithPassword;

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 1_280, height: 900 } });
    // The SDK repeats a request for some seconds before it fails.
    page.setDefaultTimeout(60_000);
    person = await world.person({ overHttp: true, fullName: 'Ada Lovelace' });
  });
  afterEach(() => page.close());
  afterAll(() => blog.stop());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const field = (name: string) => page.getByLabel(new RegExp(`^${name}`));
  const result = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

  async function open(section: string, origin = app.url): Promise<void> {
    await signIn(section, origin);
    await page.getByRole('heading', { level: 2 }).waitFor();
  }
  async function signIn(section: string, origin = app.url): Promise<void> {
    await page.goto(`${origin}/settings/${section}`);
    await submitSignIn(page, person.username);
  }

  /** Adds an authenticator to the browser, and serves the server at `SITE`. */
  async function withAuthenticator(): Promise<void> {
    await page.route(`${SITE}/**`, async (route) => {
      // A response without an end.
      if (route.request().url().endsWith('/stream')) return route.abort();
      const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' };
      await route.fulfill({
        response: await route.fetch({ url: route.request().url().replace(SITE, app.url), headers }),
      });
    });
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
  }

  it('change the profile and its image, and name a wrong field', async () => {
    await open('profile');
    await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: TINY_PNG });
    await button('Remove: Image').waitFor();
    await field('Headline').fill('Countess');
    await field('About you').fill('I weave.\nAlgebra.');
    await field('Interests').fill('looms, engines');
    await button('Add a link').click();
    await field('Title').fill('Notes');
    await field('Address').fill('http://example.org/');
    await button('Save').click();
    await page.locator('.field .failure').waitFor();
    expect(await field('Address').getAttribute('aria-invalid')).toBe('true');
    expect(await field('Headline').inputValue()).toBe('Countess');

    await field('Address').fill('https://example.org/');
    await button('Save').click();
    await result('Saved.');
    expect(await ok(person, 'GET', 'auth/me')).toMatchObject({
      fullName: 'Ada Lovelace',
      headline: 'Countess',
      bio: 'I weave.\nAlgebra.',
      interests: ['looms', 'engines'],
      links: [{ title: 'Notes', url: 'https://example.org/' }],
      profilePicture: expect.stringContaining('/v1/media/files/'),
    });
    await button('Remove: Image').click();
    await until(async () => (await ok(person, 'GET', 'auth/me')).profilePicture === null || null);
  });

  it('change the password only with the current one, and send a mail for a new address', async () => {
    await open('password');
    await field('Current password').fill('wrong one');
    await field('New password').fill(NEW_PASSWORD);
    await button('Change the password').click();
    await page.locator('.field .failure').waitFor();
    expect(await field('New password').inputValue()).toBe(NEW_PASSWORD);
    await field('Current password').fill(TEST_PASSWORD);
    await button('Change the password').click();
    await result('Your password was changed');
    expect((await send(person, 'GET', 'auth/me')).status).toBe(401);
    await ok(null, 'POST', 'auth/login', { login: person.username, password: NEW_PASSWORD });

    await page.getByRole('link', { name: 'E-mail address' }).click();
    await page.getByText(`${person.email}. It is not confirmed`).waitFor();
    await button('Send the mail again').click();
    await result('on its way');
    await field('New e-mail address').fill(`new.${person.email}`);
    await field('Password').fill(NEW_PASSWORD);
    await button('Change the address').click();
    await result('Your current address stays');
  });

  it('let an account without a password set one after a recent sign-in', async () => {
    await open('profile');
    const credentials = app.db.collection('credentials');
    await credentials.updateOne({ _id: person._id }, { $set: { passwordHash: null } });
    await page.reload();
    await page.getByRole('link', { name: 'Password' }).click();
    await page.getByText('Your account has no password').waitFor();
    await field('New password').fill(NEW_PASSWORD);
    await button('Change the password').click();
    await result('Your password was changed');
    await field('Current password').waitFor();
    await ok(null, 'POST', 'auth/login', { login: person.username, password: NEW_PASSWORD });
  });

  it('list sessions, and end one or all others', async () => {
    for (const _ of [1, 2]) await ok(null, 'POST', 'auth/login', { login: person.username, password: TEST_PASSWORD });
    await open('sessions');
    await page.getByText('This session').waitFor();
    expect(await page.locator('.rows li').count()).toBe(4);
    await button('End: node').first().click();
    await until(async () => (await page.locator('.rows li').count()) === 3 || null);
    page.on('dialog', (dialog) => void dialog.accept());
    await button('End all other sessions').click();
    await until(async () => (await page.locator('.rows li').count()) === 1 || null);
    expect((await send(person, 'GET', 'auth/me')).status).toBe(401);
    await page.getByText('Chrome on Linux').waitFor();
  });

  it('add, rename and remove a passkey', async () => {
    await withAuthenticator();
    await open('passkeys', SITE);
    await field('Name').fill('Phone');
    await field('Password').fill('wrong one');
    await button('Add a passkey').click();
    await page.locator('.field .failure').waitFor();
    await field('Password').fill(TEST_PASSWORD);
    await button('Add a passkey').click();
    await result('was added');
    const [passkey] = (await ok(person, 'GET', 'auth/passkeys')).data;
    expect(passkey).toMatchObject({ name: 'Phone' });

    // The authenticator has one for the account.
    await field('Name').fill('Again');
    await field('Password').fill(TEST_PASSWORD);
    await button('Add a passkey').click();
    await page.getByRole('alert').filter({ hasText: 'did not create a passkey' }).waitFor();
    expect(await field('Name').inputValue()).toBe('Again');

    await button('Rename: Phone').press('Enter');
    await page.locator('input:focus').fill('Old phone');
    await page.keyboard.press('Enter');
    await page.getByText('Old phone').waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await button('Remove: Old phone').click();
    await page.getByText('You have no passkeys.').waitFor();
    expect((await ok(person, 'GET', 'auth/passkeys')).data).toEqual([]);
  });

  it('turn the second factor on, with which one signs in, and off', async () => {
    await open('second-factor');
    await field('Password').fill(TEST_PASSWORD);
    await button('Turn it on').click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    const link = await page.getByRole('link', { name: 'Open in the app' }).getAttribute('href');
    const secret = new URL(link!).searchParams.get('secret')!;
    expect((await page.locator('code').textContent())!.replaceAll(' ', '')).toBe(secret);
    await field('Code of the app').fill('000000');
    await button('Confirm').click();
    await page.getByRole('alert').filter({ hasText: /code/i }).waitFor();
    await field('Code of the app').fill(codeOf(secret, -1));
    await button('Confirm').click();
    await result('Your recovery codes');
    const codes = await page.locator('.codes code').allTextContents();
    expect(codes).toHaveLength(10);

    await page.context().clearCookies();
    await page.evaluate('localStorage.clear()');
    await signIn('second-factor');
    await field('Code of your authenticator app').fill(codeOf(secret));
    await button('Sign in').click();
    await page.getByText('10 recovery codes are left.').waitFor();
    const off = page.locator('form', { has: button('Turn it off') });
    await off.getByLabel(/^Password/).fill(TEST_PASSWORD);
    await off.getByLabel(/^Code of the app/).fill(codes[0]!);
    await button('Turn it off').click();
    await page.getByText('It is off.').waitFor();
    expect(await ok(person, 'GET', 'auth/totp')).toMatchObject({ isEnabled: false });
  });

  it('create an API token with scopes, shown once, and revoke it', async () => {
    await open('tokens');
    await field('Name').fill('Backup');
    await field('Write comments').check();
    await field('Valid for').selectOption('30 days');
    await field('Password').fill(TEST_PASSWORD);
    await button('Create a token').click();
    const token = await field('Your new token').inputValue();
    const post = await world.post({ by: person });
    const comment = (path: string) => app.client.post(path, { token, body: { content: 'It weaves.' } });
    expect((await comment(`/v1/posts/${post.id}/comments`)).status).toBe(201);
    expect((await app.client.post('/v1/posts', { token, body: {} })).body.code).toBe('insufficient_scope');
    const [row] = (await ok(person, 'GET', 'auth/tokens')).data;
    expect(row).toMatchObject({ name: 'Backup', scopes: ['read', 'comments'], expiresAt: expect.any(String) });
    await page.reload();
    await page.getByText('read, comments').waitFor();
    expect(await page.content()).not.toContain(token);
    page.on('dialog', (dialog) => void dialog.accept());
    await button('Revoke: Backup').click();
    await page.getByText('You have no API tokens.').waitFor();
    expect((await app.client.get('/v1/auth/me', { token })).status).toBe(401);
  });

  it('mute kinds of notifications, and set the digest', async () => {
    await open('notifications');
    const settings = () => ok(person, 'GET', 'notifications/settings');
    await field('List: Likes of my posts').uncheck();
    await field('Mail: New followers').check();
    await field('Mail: Mentions of me').check();
    await field('Mail: Mentions of me').uncheck();
    await until(async () => (await settings()).follow === 'mail' || null);
    await until(async () => (await settings()).mention === 'app' || null);
    expect(await settings()).toMatchObject({ like_post: 'off', comment: 'app' });
    expect(await page.getByLabel(/^Push/).count()).toBe(0);
    expect(await page.getByLabel(/cases for moderators/).count()).toBe(0);
    await field('Mail with a digest').selectOption('Daily');
    await field('Hour of the digest').selectOption('6:00');
    await field('Notifications from').selectOption('People I follow');
    await button('Save').click();
    await result('Saved.');
    expect(await settings()).toMatchObject({ digest: 'daily', digestHour: 6, from: 'followed', like_post: 'off' });
  });

  it('add and remove filters, unblock and unmute', async () => {
    const [blocked, muted] = await world.people(2, { fullName: 'Charles Babbage' });
    await ok(person, 'PUT', `users/${blocked.username}/block`);
    await ok(person, 'PUT', `users/${muted.username}/mute`, {});
    await open('filters');
    await field('Word or phrase').fill('season finale');
    await page.getByLabel(/^In/).selectOption('Posts');
    await field('What happens').selectOption('Show a warning');
    await button('Add the filter').click();
    await page.getByText('Show a warning · Posts · No end').waitFor();
    expect((await ok(person, 'GET', 'users/me/filters')).data).toMatchObject([
      { phrase: 'season finale', isWholeWord: true, in: ['posts'], action: 'warn', until: null },
    ]);
    await button('Remove: season finale').click();
    await page.getByText('You have no filters.').waitFor();

    await page.getByRole('link', { name: 'Blocked and muted' }).click();
    await button('Unblock: Charles Babbage').click();
    await page.getByText('You have blocked no accounts.').waitFor();
    await button('Unmute: Charles Babbage').click();
    await page.getByText('You have muted no accounts.').waitFor();
    for (const list of ['blocks', 'mutes']) expect((await ok(person, 'GET', `users/me/${list}`)).data).toEqual([]);
  });

  it('import an archive with its problems, publish its drafts with their dates, and remove it', async () => {
    const choose = (name: string, buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
    const tags = ['one', 'two', 'three', 'four', 'five', 'six'];
    const post = hugoPost({ title: 'Looms', date: '2019-05-01T09:30:00Z', tags }, 'An engine weaves.');
    // The request is sent when its progress is shown.
    await page.route('**/v1/users/me/imports', async (route) => {
      if (route.request().method() === 'POST') await page.getByRole('progressbar').waitFor();
      await route.continue();
    });
    await open('imports');
    await choose('blog.zip', await zipOf({ 'content/posts/looms.md': post }));
    await page.getByText('Waiting').waitFor();
    await runTasks(app, [IMPORT_STARTED]);
    await page.getByText('drafts: 1').waitFor();
    await page.getByText('Problems: 1').click();
    await page.getByText('content/posts/looms.md: Tags that were dropped: six').waitFor();

    page.on('dialog', (dialog) => void dialog.accept());
    await button('Publish all: Markdown').click();
    await page.getByText('Being published').waitFor();
    await runTasks(app, [IMPORT_STARTED]);
    await page.getByText('published: 1').waitFor();
    const [published] = (await ok(person, 'GET', `users/${person.username}/posts`)).data;
    expect(published).toMatchObject({ title: 'Looms', createdAt: '2019-05-01T09:30:00.000Z' });
    expect(await button('Publish all').count()).toBe(0);
    await button('Remove: Markdown').click();
    await page.getByText('You have no imports.').waitFor();
  });

  it('import the address of an article, and name a wrong one', async () => {
    await open('imports');
    await field('Address of an article').fill('http://127.0.0.1/looms');
    await button('Import the address').click();
    await page.getByRole('alert').filter({ hasText: 'not one of a public host' }).waitFor();
    blog.on('/webst%C3%BChle', (response) => void response.end('<!doctype html><article>They weave.</article>'));
    await field('Address of an article').fill(`http://${blog.host}/webstühle`);
    await button('Import the address').click();
    await page.getByText(`http://${blog.host}/webst%C3%BChle`).waitFor();
    await runTasks(app, [IMPORT_STARTED]);
    await page.getByText('drafts: 1').waitFor();
    await button('Remove: Page').waitFor();
    expect(await field('Address of an article').inputValue()).toBe('');
  });

  it('request an export, which can be downloaded when it is ready', async () => {
    await open('exports');
    await button('Request an export').click();
    await page.getByText('Being written').waitFor();
    await button('Request an export').click();
    await page.getByRole('alert').filter({ hasText: 'tomorrow' }).waitFor();
    await runTasks(app, [EXPORT_REQUESTED]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.zip$/);
  });

  it('stop to ask for an export that does not become ready', async () => {
    const paths: string[] = [];
    await open('exports');
    await page.clock.install();
    await button('Request an export').click();
    await page.getByText('Being written').waitFor();
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await page.clock.runFor('01:00:00');
    await page.clock.runFor('05:00:00');

    expect(paths.filter((path) => path === '/v1/users/me/exports')).toHaveLength(25);
  });

  it('delete the account with its password, and say so', async () => {
    await open('deletion');
    await field('Password').fill('wrong one');
    await button('Delete my account').click();
    // the browser asks for the check box first
    expect(await page.locator('.section input:invalid').count()).toBe(1);
    await field('I understand').check();
    await button('Delete my account').click();
    await page.locator('.field .failure').waitFor();
    expect((await send(person, 'GET', 'auth/me')).status).toBe(200);
    await field('Password').fill(TEST_PASSWORD);
    await button('Delete my account').click();
    await result('Your account was deleted.');
    expect((await app.client.get(`/v1/users/${person.username}`)).status).toBe(404);
    await page.reload();
    await button('Sign in').waitFor();
  });

  it('run no script of names of passkeys, tokens, sessions and filters', async () => {
    const effects: string[] = [];
    page.on('dialog', (dialog) => {
      if (dialog.type() === 'alert') effects.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => effects.push(error.message));
    const userId = person._id;
    const vectors = VECTORS.slice(0, 15).map((vector) => vector.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, ' '));
    for (const [at, vector] of vectors.entries()) {
      const name = `${at} ${vector}`.slice(0, 60).trim();
      const _id = new ObjectId(await world.passkey(person));
      await app.db.collection('passkeys').updateOne({ _id }, { $set: { name } });
      await ok(person, 'POST', 'auth/tokens', { name, scopes: ['read'], password: TEST_PASSWORD });
      await ok(person, 'POST', 'users/me/filters', { phrase: name, in: ['posts'], action: 'hide' });
      await ok(person, 'PATCH', 'users/me', { fullName: name });
    }
    await app.db.collection('sessions').updateMany({ userId }, { $set: { userAgent: vectors[0]!.slice(0, 200) } });
    await open('passkeys');
    for (const section of ['passkeys', 'tokens', 'filters', 'sessions', 'profile']) {
      await page.locator(`nav a[href="/settings/${section}"]`).click();
      await page.locator('.section :is(.rows li, input)').first().waitFor();
      if (section !== 'profile')
        await button(/^(Remove|Revoke|End): /)
          .first()
          .click();
    }
    expect(effects).toEqual([]);
  });

  it('have no violations that axe finds in any section, and fit a phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open('profile');
    for (const section of SECTIONS) {
      await page.locator(`nav a[href="/settings/${section}"]`).click();
      await page.waitForURL(`${app.url}/settings/${section}`);
      await page.locator('.section > :not(h2, [role=status])').first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([section, await axeProblems(page)]).toEqual([section, []]);
      }
      expect([section, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([section, 320]);
    }
  });

  it('open sections by the keyboard and the history, without another sign-in', async () => {
    await open('profile');
    await page.getByRole('link', { name: 'Password' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('h2:focus', { hasText: 'Password' }).waitFor();
    expect(await page.title()).toMatch(/^Password – Settings – /);
    await page.locator('[name=currentPassword]').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('currentPassword');
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
  });
});
