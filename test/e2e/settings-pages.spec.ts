import type { Page } from 'playwright-core';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { TINY_PNG } from '../support/pictures.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import type { PersonWithPassword } from '../support/world.js';

const NEW_PASSWORD = 'difference engine no. 2';
const SECTIONS = ['profile', 'email', 'password', 'sessions'];

describeWith('chromium', 'the settings of an account', (executablePath) => {
  // Without jobs, a process follows the change stream.
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok, send } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;
  let person: PersonWithPassword;

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 1_280, height: 900 } });
    // The SDK repeats a request for some seconds before it fails.
    page.setDefaultTimeout(15_000);
    person = await world.person({ overHttp: true, fullName: 'Ada Lovelace' });
  });
  afterEach(() => page.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const field = (name: string) => page.getByLabel(new RegExp(`^${name}`));
  const result = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

  async function open(section: string): Promise<void> {
    await page.goto(`${app.url}/settings/${section}`);
    await field('Username or e-mail address').fill(person.username);
    await field('Password').fill(TEST_PASSWORD);
    await button('Sign in').click();
    await page.getByRole('heading', { level: 2 }).waitFor();
  }

  it('change the profile and its picture, and name a wrong field', async () => {
    await open('profile');
    await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: TINY_PNG });
    await button('Remove: Picture').waitFor();
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
    await button('Remove: Picture').click();
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
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.name')).toBe('currentPassword');
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
  });
});
