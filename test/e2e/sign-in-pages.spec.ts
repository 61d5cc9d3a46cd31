import { randomBytes } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright-core';
import { AppConfig } from '../../src/config/app-config.js';
import type { RegistrationMode } from '../../src/config/env.schema.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';
import { addApp, codeOf } from '../support/authenticator-app.js';
import { axeProblems } from '../support/axe.js';
import { useBrowser } from '../support/browser.js';
import { CLIENT, FormBrowser, TestProvider } from '../support/oidc-provider.js';
import { describeWith } from '../support/optional.js';
import { mendClock, shiftClock } from '../support/shifted-clock.js';
import { verbsOf } from '../support/verbs.js';
import type { PersonWithPassword } from '../support/world.js';

const SIXTEEN_MINUTES_MS = 960_000;

describeWith('chromium', 'the pages of a sign-in', (executablePath) => {
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let context: BrowserContext;
  let page: Page;
  let ada: PersonWithPassword;
  /** Browsers allow passkeys on this host without TLS. */
  let site: string;
  const provider = new TestProvider();

  beforeAll(async () => {
    site = app.url.replace('127.0.0.1', 'localhost');
    const issuer = await provider.start();
    provider.serve(`${site}/v1/auth/oidc/idp/callback`);
    // Their ports are known only now.
    for (const { auth, http } of app.everyOf(AppConfig)) {
      auth.passkeys.origins.push(site);
      auth.returnOrigins.push(site);
      auth.oidcProviders['idp'] = { issuer, ...CLIENT, domains: 'any' };
      http.publicUrl = site;
    }
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    context = await browser().newContext({ viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' });
    page = await openTab();
    ada = await world.person({ overHttp: true });
  });
  afterEach(async () => {
    mendClock();
    await context.close();
  });

  async function openTab(): Promise<Page> {
    const tab = await context.newPage();
    // The SDK repeats a request for some seconds before it fails.
    tab.setDefaultTimeout(20_000);
    return tab;
  }
  const button = (name: string | RegExp, tab = page) => tab.getByRole('button', { name });
  const alert = (text: string | RegExp) => page.getByRole('alert').filter({ hasText: text }).waitFor();
  async function fill(username = ada.username, password: string = TEST_PASSWORD, tab = page): Promise<void> {
    await tab.getByLabel('Username or e-mail address').fill(username);
    await tab.getByLabel('Password').fill(password);
    await button('Sign in', tab).click();
  }
  /** Opens a page for one account in this tab, and signs in. */
  async function openList(tab = page): Promise<void> {
    await tab.goto(`${site}/saved-posts`);
    await fill(ada.username, TEST_PASSWORD, tab);
    await tab.getByText('You have saved no posts.').waitFor();
  }
  const cookie = async () => (await context.cookies(`${site}/v1/auth`)).find(({ name }) => name === 'refresh-token');
  /** Signs out as the account menu does. */
  const signOut = (tab: Page) =>
    tab.evaluate(`(async () => {
      localStorage.removeItem('signed-in');
      const headers = { 'content-type': 'application/json' };
      await fetch('/v1/auth/logout', { method: 'POST', headers, body: '{"cookie":true}' });
    })()`);

  describe('/sign-in', () => {
    it('signs in with a password, leads to the page of the link, and stays signed in without a token for scripts', async () => {
      await page.goto(`${site}/sign-in?to=${encodeURIComponent('/saved-posts?a=1#b')}`);
      await fill(ada.username, 'a wrong password');
      await alert('password');
      expect(await page.getByLabel('Username or e-mail address').inputValue()).toBe(ada.username);
      await fill();
      await page.waitForURL(`${site}/saved-posts?a=1#b`);
      await page.getByText('You have saved no posts.').waitFor();

      await page.reload();
      await page.getByText('You have saved no posts.').waitFor();
      expect(await page.evaluate('({ ...localStorage })')).toEqual({ 'signed-in': ada.id });
      expect(await page.evaluate('[document.cookie, sessionStorage.length]')).toEqual(['', 0]);
      expect(await cookie()).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/v1/auth' });

      // A signed-in person is led on.
      await page.goto(`${site}/sign-in?to=/following`);
      await page.waitForURL(`${site}/following`);
    });

    it.each([
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      '/.//evil.example',
      'evil',
    ])('leads to the home page, not to %j', async (to) => {
      await page.goto(`${site}/sign-in?to=${encodeURIComponent(to)}`);
      await fill();
      await page.waitForURL(`${site}/`);
    });

    it('asks for a code of the app, or a recovery code', async () => {
      const { secret, recoveryCodes } = await addApp(app.client, ada);
      await page.goto(`${site}/sign-in?to=/saved-posts`);
      await fill();
      const code = page.getByLabel('Code of your authenticator app');
      await code.fill('000000');
      await button('Sign in').click();
      await alert(/./);
      expect(await axeProblems(page)).toEqual([]);
      await code.fill(codeOf(secret));
      await button('Sign in').click();
      await page.getByText('You have saved no posts.').waitFor();

      await signOut(page);
      await page.reload();
      await fill();
      await code.fill(recoveryCodes[0]!.toUpperCase());
      await button('Sign in').click();
      await page.getByText('You have saved no posts.').waitFor();
    });

    it('shows why a banned account cannot sign in', async () => {
      await world.moderate({ kind: 'ban', targetKind: 'user', targetId: ada.id });
      await page.goto(`${site}/sign-in`);
      await fill();
      await alert('An advertisement.');
    });

    it('is used with the keyboard only, at 320 pixels, and has no violations that axe finds', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(`${site}/sign-in?to=/following`);
        await button('Use a passkey').waitFor();
        expect(await axeProblems(page)).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      expect(await page.title()).toMatch(/^Sign in – /);
      await page.getByLabel('Username or e-mail address').focus();
      await page.keyboard.type(ada.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(TEST_PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site}/following`);
    });
  });

  describe('a passkey', () => {
    const authenticator = {
      ...({ protocol: 'ctap2', transport: 'internal' } as const),
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    };
    /** Gives the tab an authenticator with a passkey of the account. */
    async function addPasskey() {
      const session = await context.newCDPSession(page);
      await session.send('WebAuthn.enable');
      const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
        options: { ...authenticator, automaticPresenceSimulation: true },
      });
      await page.goto(site);
      const options = await ok(ada, 'POST', 'auth/passkeys/options', { password: TEST_PASSWORD });
      const passkey = await page.evaluate(async (given) => {
        const { PublicKeyCredential, navigator } = globalThis as any;
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(given);
        return (await navigator.credentials.create({ publicKey })).toJSON();
      }, options);
      await ok(ada, 'POST', 'auth/passkeys', passkey);
      return {
        setPresent: (enabled: boolean) =>
          session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
        setVerified: (isUserVerified: boolean) =>
          session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
      };
    }

    it('is offered in the list of the field for the name, on each page that needs an account', async () => {
      await addPasskey();
      await page.goto(`${site}/saved-posts`);
      // The browser of the test chooses it at once.
      await page.getByText('You have saved no posts.').waitFor();
    });

    it('signs in by the button, also in place of a code', async () => {
      const { setPresent } = await addPasskey();
      await addApp(app.client, ada);
      await setPresent(false);
      await page.goto(`${site}/sign-in?to=/saved-posts`);
      await fill();
      await page.getByLabel('Code of your authenticator app').waitFor();
      await setPresent(true);
      await button('Use a passkey').click();
      await page.getByText('You have saved no posts.').waitFor();
    });

    it('says when none was used', async () => {
      const { setVerified } = await addPasskey();
      await setVerified(false);
      await page.goto(`${site}/sign-in`);
      await button('Use a passkey').click();
      await alert('No passkey was used.');
    });
  });

  const setMode = async (registration: RegistrationMode): Promise<void> =>
    ok(await world.person({ role: 'admin' }), 'PATCH', 'instance', { registration });
  const newName = () => `r${randomBytes(5).toString('hex')}`;
  afterEach(() => setMode('open'));

  describe('/register', () => {
    const field = (name: string) => page.locator(`[name=${name}]`);
    /** Opens the page, and fills in the fields of a new account. */
    async function open(query = ''): Promise<string> {
      const username = newName();
      await page.goto(`${site}/register${query}`);
      await field('fullName').fill('Mary Somerville');
      await field('username').fill(username);
      await field('email').fill(`${username}@example.org`);
      await field('password').fill(TEST_PASSWORD);
      return username;
    }
    const create = () => button('Create the account').click();

    it('creates an account, with the messages of the API at the fields, and signs in', async () => {
      const username = await open('?to=/saved-posts');
      await field('username').fill(ada.username);
      await create();
      await page.getByText('is taken', { exact: true }).waitFor();
      expect(await page.locator('input:focus').getAttribute('name')).toBe('username');
      expect(await field('password').inputValue()).toBe(TEST_PASSWORD);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await axeProblems(page)).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      await field('username').fill(username);
      await field('password').press('Enter');
      await page
        .getByRole('status')
        .filter({ hasText: `${username}@example.org` })
        .waitFor();
      expect(await axeProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.getByText('You have saved no posts.').waitFor();
      expect(page.url()).toBe(`${site}/saved-posts`);
    });

    it('says what happens next when a moderator decides', async () => {
      await setMode('approval');
      const username = await open();
      await page.getByLabel('Why do you want to join?').fill('I write about looms.');
      await create();
      await page.getByRole('status').filter({ hasText: 'A moderator decides about your account.' }).waitFor();
      expect(await page.evaluate('localStorage.length')).toBe(0);
      expect(await app.db.collection('sign_ups').findOne({ username })).toMatchObject({
        reason: 'I write about looms.',
      });
    });

    it('needs a valid invite, which a link can have', async () => {
      await setMode('invite');
      await open(`?invite=${'a'.repeat(43)}`);
      await create();
      await page.getByText('is unknown, used up or expired').waitFor();
      const admin = await world.person({ role: 'admin' });
      const { code } = await ok(admin, 'POST', 'admin/invites', { uses: 1 });
      await open(`?invite=${code}`);
      await create();
      await page.getByText('Your account exists.').waitFor();
    });

    it('says that the site accepts no accounts', async () => {
      await setMode('closed');
      await page.goto(`${site}/register`);
      await page.getByText('This site accepts no new accounts.').waitFor();
      expect(await page.locator('main form').count()).toBe(0);
    });
  });

  describe('a provider', () => {
    const aPerson = (): string => {
      const sub = newName();
      provider.people.set(sub, { email: `${sub}@example.org`, email_verified: true, name: 'Mary Somerville' });
      return sub;
    };
    /** Signs in at the provider, which then sends the browser back. */
    async function signInThere(sub: string): Promise<void> {
      await page.locator('input[name=login]').fill(sub);
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.getByRole('button', { name: 'Continue' }).click();
    }

    it('creates an account, and leads back to the page where the person was', async () => {
      await page.goto(`${site}/saved-posts?a=1#b`);
      await button('Continue with Idp').click();
      await signInThere(aPerson());
      await page.getByText('You have saved no posts.').waitFor();
      expect(page.url()).toBe(`${site}/saved-posts?a=1#b`);
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    });

    it('says why it has no account for the person', async () => {
      await setMode('closed');
      await page.goto(`${site}/sign-in?to=/following`);
      await button('Continue with Idp').waitFor();
      await button('Continue with Idp').click();
      await signInThere(aPerson());
      await alert('This site accepts no new accounts.');
      expect(page.url()).toBe(`${site}/sign-in?to=%2Ffollowing`);
      expect(await axeProblems(page)).toEqual([]);
    });

    it('refuses a code that this tab did not request', async () => {
      const own = `${site}/sign-in?own=1`;
      const start = `${site}/v1/auth/oidc/idp/start?returnTo=${encodeURIComponent(own)}`;
      const attackers = new FormBrowser();
      const back = await attackers.send(await attackers.until(`${site}/v1/auth/oidc/`, start, aPerson()));
      expect(new URL(back.location!).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
      await page.goto(back.location!);
      await alert('not begun in this tab');
      expect(page.url()).toBe(`${site}/sign-in`);
      expect(await cookie()).toBeUndefined();
    });

    it('is connected to an account, whose code it then asks for', async () => {
      await openList();
      const sub = aPerson();
      await page.goto(`${site}/settings/identities`);
      await page.getByRole('link', { name: 'Connect Idp' }).click();
      await page.getByLabel('Password').fill(TEST_PASSWORD);
      expect(await axeProblems(page)).toEqual([]);
      await button('Connect Idp').click();
      await signInThere(sub);
      await page.getByText(`${sub}@example.org`).waitFor();
      expect(page.url()).toBe(`${site}/settings/identities`);
      expect(await page.getByRole('link', { name: 'Connect Idp' }).count()).toBe(0);
      expect((await ok(ada, 'GET', 'auth/identities')).data).toMatchObject([{ provider: 'idp' }]);

      const { secret } = await addApp(app.client, ada);
      await signOut(page);
      await page.goto(`${site}/sign-in?to=/saved-posts`);
      await button('Continue with Idp').click();
      await page.getByLabel('Code of your authenticator app').fill(codeOf(secret));
      await button('Sign in').click();
      await page.waitForURL(`${site}/saved-posts`);
      expect(await page.evaluate(`localStorage.getItem('signed-in')`)).toBe(ada.id);
    });
  });

  describe('two tabs', () => {
    let other: Page;
    beforeEach(async () => {
      other = await openTab();
    });

    it('are signed in and signed out together', async () => {
      await other.goto(`${site}/following`);
      await other.getByText('Sign in to see this page.').waitFor();
      await openList();
      await other.getByText('Follow people and tags to read').waitFor();

      await signOut(other);
      await page.getByText('Your session has ended.').waitFor();
      expect(await page.getByText('You have saved no posts.').isVisible()).toBe(false);
      expect(await cookie()).toBeUndefined();
    });

    it('show the account that signed in last', async () => {
      const grace = await world.person({ overHttp: true });
      const post = await world.post({ by: ada, title: 'Looms' });
      await ok(grace, 'PUT', `posts/${post.id}/save`);
      await openList();
      await other.goto(`${site}/following`);
      await other.getByText('Follow people and tags to read').waitFor();
      await signOut(other);
      await other.reload();
      await fill(grace.username, TEST_PASSWORD, other);
      await page.getByRole('link', { name: 'Looms', exact: true }).waitFor();
      expect(await page.evaluate(`localStorage.getItem('signed-in')`)).toBe(grace.id);
    });

    it('refresh one after the other, once each', async () => {
      const posts = [await world.post({ by: ada, title: 'Looms' }), await world.post({ by: ada, title: 'Engines' })];
      for (const { id } of posts) await ok(ada, 'PUT', `posts/${id}/save`);
      await page.goto(`${site}/saved-posts`);
      await fill();
      await other.goto(`${site}/saved-posts`);
      const likes = [page, other].map((tab, at) => tab.getByRole('button', { name: /Like/ }).nth(at));
      for (const like of likes) await like.waitFor();

      let [count, running, most] = [0, 0, 0];
      await context.route('**/v1/auth/refresh', async (route) => {
        [count, running] = [count + 1, running + 1];
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 500));
        await route.continue();
      });
      context.on('requestfinished', (request) => {
        if (request.url().endsWith('/v1/auth/refresh')) running -= 1;
      });
      // The access tokens of both tabs expire.
      shiftClock(SIXTEEN_MINUTES_MS);
      const liked = [page, other].map((tab) =>
        tab.waitForResponse((response) => response.url().endsWith('/vote') && response.ok()),
      );
      await Promise.all(likes.map((like) => like.click()));
      await Promise.all(liked);
      expect([count, most]).toEqual([2, 1]);

      await Promise.all([page.reload(), other.reload()]);
      for (const like of likes) await like.waitFor();
      expect([count, most]).toEqual([4, 1]);
    });
  });
});
