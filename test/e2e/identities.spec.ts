import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { chromium } from 'playwright-core';
import { CredentialsService } from '../../src/auth/credentials.service.js';
import { OneTimeTokensService } from '../../src/auth/one-time-tokens.service.js';
import { PASSWORD_RESET } from '../../src/auth/token-kinds.js';
import { AppConfig } from '../../src/config/app-config.js';
import { IdentitiesService } from '../../src/auth/providers/identities.service.js';
import { queuedMails } from '../support/mails.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { TEST_PASSWORD, type TestAccount } from '../support/accounts.js';
import { addApp } from '../support/authenticator-app.js';
import { type Claims, CLIENT, FormBrowser, TestProvider } from '../support/oidc-provider.js';
import { describeWith } from '../support/optional.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';

const RETURN_TO = 'http://localhost:5173/signed-in?own=1';

let app: TestApp;
const provider = new TestProvider();
const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(clientPage()));
let people = 0;

beforeAll(async () => {
  const issuer = await provider.start();
  await new Promise<void>((resolve) => site.listen(0, resolve));
  const domains = ['example.org', 'm\u00fcller.example'];
  const down = { issuer: 'http://127.0.0.1:1', ...CLIENT, domains };
  const providers = { idp: { issuer, ...CLIENT, domains }, any: { issuer, ...CLIENT, domains: ['*'] }, down };
  app = await startApp({
    env: {
      HTTP_PUBLIC_URL: 'http://127.0.0.1:3000',
      AUTH_OIDC_PROVIDERS: JSON.stringify(providers),
      // clients have pages of their own
      SITE: 'off',
      AUTH_RETURN_ORIGINS: `http://localhost:5173,https://app.example,${siteUrl()}`,
    },
  });
  // The port of the app is known only now.
  setPublicUrl(app.url);
  provider.serve(`${app.url}/v1/auth/oidc/idp/callback`, `${app.url}/v1/auth/oidc/any/callback`);
});
afterAll(async () => {
  await app.close();
  await provider.stop();
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
});

function setPublicUrl(url: string): void {
  for (const { http } of app.everyOf(AppConfig)) http.publicUrl = url;
}

/** Creates an account at the provider. */
function person(claims: Claims = {}): string {
  const sub = `person-${++people}`;
  provider.people.set(sub, { email: `${sub}@example.org`, email_verified: true, name: 'Ada Lovelace', ...claims });
  return sub;
}

const startUrl = (returnTo = RETURN_TO, name = 'idp') =>
  `${app.url}/v1/auth/oidc/${name}/start?returnTo=${encodeURIComponent(returnTo)}`;
/** Signs in at the provider and returns the callback URL with the provider's response, without opening it. */
const toCallback = (browser: FormBrowser, sub: string, url = startUrl()) =>
  browser.until(`${app.url}/v1/auth/oidc/`, url, sub);
const open = (browser: FormBrowser, url: string) => browser.send(url);
async function comeBack(browser: FormBrowser, sub: string, url = startUrl()): Promise<URLSearchParams> {
  const { location, status } = await open(browser, await toCallback(browser, sub, url));
  expect([status, location?.split('?')[0]]).toEqual([303, 'http://localhost:5173/signed-in']);
  return new URL(location!).searchParams;
}
const exchange = (code: string | null) => app.client.post('/v1/auth/exchange', { body: { code } });
async function signInWith(sub: string): Promise<{ id: string; username: string; token: string; body: any }> {
  const code = (await comeBack(new FormBrowser(), sub)).get('code');
  const { status, body } = await exchange(code);
  expect(status).toBe(200);
  return { id: body.user.id, username: body.user.username, token: body.accessToken, body };
}
const identitiesOf = async ({ token }: { token: string }) =>
  (await app.client.get('/v1/auth/identities', { token })).body.data;
const verifyEmail = ({ id }: { id: string }) =>
  app.db.collection('credentials').updateOne({ _id: new ObjectId(id) }, { $set: { emailVerifiedAt: new Date() } });
/** Subjects of the mails to an owner about sign-in providers. */
async function mailsTo(address: string): Promise<string[]> {
  const mails = await queuedMails(app);
  const subjects = mails.filter(({ to }) => to === address).map(({ subject }) => subject);
  return subjects.filter((subject) => subject.startsWith('A sign-in provider'));
}

describe('signing in with a provider', () => {
  it('begins an account, and finds it again', async () => {
    const sub = person({ name: 'Zoë Müller' });
    const first = await signInWith(sub);
    expect(first.username).toMatch(/^zoe_muller\d{4,5}$/);
    expect(first.body.user).toMatchObject({
      fullName: 'Zoë Müller',
      email: `${sub}@example.org`,
      isEmailVerified: true,
      role: 'user',
    });
    expect((await app.client.get('/v1/auth/me', { token: first.token })).status).toBe(200);
    const again = await signInWith(sub);
    expect(again.id).toBe(first.id);
    expect(await identitiesOf(again)).toEqual([
      expect.objectContaining({ provider: 'idp', email: `${sub}@example.org` }),
    ]);
    const login = await app.client.post('/v1/auth/login', {
      body: { login: first.username, password: 'any password' },
    });
    expectProblem(login, 401, 'invalid_credentials');
  });

  it('redirects to the provider with state, nonce and PKCE, and keeps them in an HttpOnly cookie', async () => {
    const answer = await app.client.get(startUrl().slice(app.url.length));
    const location = new URL(answer.headers.get('location')!);
    const asked = Object.fromEntries(location.searchParams);
    expect([answer.status, answer.headers.get('cache-control'), location.origin]).toEqual([
      302,
      'no-store',
      provider.issuer,
    ]);
    expect(asked).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: CLIENT.clientId });
    expect([asked.state!.length, asked.nonce!.length, asked.code_challenge!.length]).toEqual([43, 43, 43]);
    const cookie = answer.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^sign-in-[0-9a-f]{16}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toContain(asked.state);
  });

  it('uses a host-only cookie over https', async () => {
    setPublicUrl('https://api.example');
    const { headers } = await app.client.get(startUrl().slice(app.url.length));
    setPublicUrl(app.url);
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-sign-in-[0-9a-f]{16}=[^;]+; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(headers.get('location')).toContain(encodeURIComponent('https://api.example/v1/auth/oidc/idp/callback'));
  });

  it.each([
    ['letters of another script', '李白', /^reader\d{4,5}$/, '李白'],
    ['a name of the house', 'Admin', /^reader\d{4,5}$/, null],
    ['no name', undefined, /^reader\d{4,5}$/, null],
    ['a name that cannot be seen', '\u200b\u200b', /^reader\d{4,5}$/, null],
    ['a very long name', 'x'.repeat(5_000), /^x{11}\d{4,5}$/, null],
  ])('finds a name for one with %s', async (_, name, username, fullName) => {
    const { body } = await signInWith(person({ name }));
    expect(body.user.username).toMatch(username);
    expect(body.user.fullName).toBe(fullName ?? body.user.username);
  });

  it('continues in both of two tabs of one browser, in any order', async () => {
    const browser = new FormBrowser();
    const urls = [await toCallback(browser, person()), await toCallback(browser, person())];
    for (const url of urls) {
      const { location } = await open(browser, url);
      expect((await exchange(new URL(location!).searchParams.get('code'))).status).toBe(200);
    }
    expect(browser.jarOf(app.url).size).toBe(0);
  });

  it('keeps the latest of many unfinished ones in one browser', async () => {
    const browser = new FormBrowser();
    const long = `${RETURN_TO}&long=${'x'.repeat(1_000)}`;
    for (let begun = 0; begun < 10; begun++) expect((await open(browser, startUrl(long))).status).toBe(302);
    const sub = person();
    const url = await toCallback(browser, sub);
    const cookies = [...browser.jarOf(app.url)].map((cookie) => cookie.join('='));
    expect(cookies.join('; ').length).toBeLessThan(9_000);
    expect(cookies.length).toBeGreaterThan(2);
    expect(new URL((await open(browser, url)).location!).searchParams.get('code')).toHaveLength(43);
  });

  it('creates one account for two concurrent browsers', async () => {
    const sub = person();
    const browsers = [new FormBrowser(), new FormBrowser()];
    const callbacks = await Promise.all(browsers.map((browser) => toCallback(browser, sub)));
    const answers = await Promise.all(browsers.map((browser, index) => open(browser, callbacks[index]!)));
    const codes = answers.map(({ location }) => new URL(location!).searchParams.get('code'));
    const ids = (await Promise.all(codes.map(exchange))).map(({ body }) => body.user?.id);
    expect(new Set(ids).size).toBe(1);
    expect(await app.db.collection('credentials').countDocuments({ email: `${sub}@example.org` })).toBe(1);
  });

  it('creates one account also when another browser finishes its sign-in at the same time', async () => {
    const sub = person();
    const browsers = [new FormBrowser(), new FormBrowser()] as const;
    const [first, second] = [await toCallback(browsers[0], sub), await toCallback(browsers[1], sub)];
    const addresses: (string | null)[] = [];
    const spies = app.everyOf(CredentialsService).map((credentials) => {
      const find = credentials.findByEmail.bind(credentials);
      return jest.spyOn(credentials, 'findByEmail').mockImplementation(async (...given) => {
        for (const spy of spies) spy.mockRestore();
        addresses.push((await open(browsers[1], second)).location);
        return find(...given);
      });
    });
    addresses.push((await open(browsers[0], first)).location);
    const codes = addresses.map((address) => new URL(address!).searchParams.get('code'));
    const [one, other] = (await Promise.all(codes.map(exchange))).map(({ body }) => body.user?.id);
    expect([addresses.length, one]).toEqual([2, other]);
    expect(one).toMatch(/^[0-9a-f]{24}$/);
  });

  it('ends with the code when the password is reset during the exchange', async () => {
    const sub = person();
    const { id } = await signInWith(sub);
    const code = (await comeBack(new FormBrowser(), sub)).get('code');
    const userId = new ObjectId(id);
    const email = `${sub}@example.org`;
    const body = { token: '', password: 'battery staple correct' };
    body.token = await app.app
      .get(MongoService)
      .transaction((tx) => app.app.get(OneTimeTokensService).issue(PASSWORD_RESET, userId, { email }, tx));
    const spies = app.everyOf(MongoService).map((mongo) => {
      const transaction = mongo.transaction.bind(mongo);
      return jest.spyOn(mongo, 'transaction').mockImplementation(async (...given) => {
        for (const spy of spies) spy.mockRestore();
        const used = await transaction(...given);
        expect((await app.patient.put('/v1/auth/password-reset', { body })).status).toBe(204);
        return used;
      });
    });
    expect((await exchange(code)).body.code).toBe('invalid_credentials');
    expect(await app.db.collection('sessions').countDocuments({ userId, rotatedAt: null, revokedAt: null })).toBe(0);
  });

  it('requires a second factor, as a password does', async () => {
    const account = await app.world.person({ overHttp: true });
    await verifyEmail(account);
    await addApp(app.client, account);
    const code = (await comeBack(new FormBrowser(), person({ email: account.email }))).get('code');
    expectProblem(await exchange(code), 401, 'second_factor_required');
  });
});

describe('a response that belongs to another request', () => {
  const changed = (url: string, change: (query: URLSearchParams) => void): string => {
    const next = new URL(url);
    change(next.searchParams);
    return next.href;
  };

  it.each<[string, (query: URLSearchParams) => void]>([
    ['no state', (query) => query.delete('state')],
    ['another state', (query) => query.set('state', 'a'.repeat(43))],
    ['two states', (query) => query.append('state', query.get('state')!)],
  ])('is refused with %s', async (_, change) => {
    const browser = new FormBrowser();
    const url = await toCallback(browser, person());
    const { location, status } = await open(browser, changed(url, change));
    expect([location, status]).toEqual([null, 400]);
  });

  it.each<[string, (query: URLSearchParams) => void]>([
    ['no code', (query) => query.delete('code')],
    ['another code', (query) => query.set('code', 'a'.repeat(43))],
    ['another issuer', (query) => query.set('iss', 'https://evil.example')],
    ['an error of the provider', (query) => query.set('error', 'invalid_scope')],
  ])('is refused with %s, and ends the sign-in', async (_, change) => {
    const browser = new FormBrowser();
    const url = await toCallback(browser, person());
    const { location } = await open(browser, changed(url, change));
    expect(location).toBe(`${RETURN_TO}&error=invalid_response`);
    expect((await open(browser, url)).status).toBe(400);
  });

  it.each<[string, (query: URLSearchParams) => void]>([
    ['no nonce', (query) => query.delete('nonce')],
    ['another nonce', (query) => query.set('nonce', 'a'.repeat(43))],
    ['no PKCE', (query) => ['code_challenge', 'code_challenge_method'].forEach((name) => query.delete(name))],
    ['another PKCE', (query) => query.set('code_challenge', 'a'.repeat(43))],
  ])('is refused when the provider was asked with %s', async (_, change) => {
    const browser = new FormBrowser();
    const { location: asked } = await open(browser, startUrl());
    const callback = await toCallback(browser, person(), changed(asked!, change));
    expect((await open(browser, callback)).location).toBe(`${RETURN_TO}&error=invalid_response`);
  });

  it('is refused a second time, also with the first cookie', async () => {
    const browser = new FormBrowser();
    const url = await toCallback(browser, person());
    const [[name, cookie] = ['', '']] = browser.jarOf(app.url);
    expect(new URL((await open(browser, url)).location!).searchParams.get('code')).toHaveLength(43);
    expect((await open(browser, url)).status).toBe(400);
    browser.jarOf(app.url).set(name, cookie);
    expect((await open(browser, url)).location).toBe(`${RETURN_TO}&error=invalid_response`);
  });

  it('is refused in another browser, and with a changed cookie', async () => {
    const browser = new FormBrowser();
    const url = await toCallback(browser, person());
    const { status, html } = await open(new FormBrowser(), url);
    expect([status, JSON.parse(html).code]).toEqual([400, 'sign_in_not_begun']);
    const victim = new FormBrowser();
    await open(victim, startUrl());
    expect((await open(victim, url)).status).toBe(400);
    const jar = browser.jarOf(app.url);
    const [[name, cookie] = ['', '']] = jar;
    jar.set(name, `${cookie.slice(0, 40)}${cookie[40] === 'A' ? 'B' : 'A'}${cookie.slice(41)}`);
    expect((await open(browser, url)).status).toBe(400);
    jar.set(name, cookie);
    expect((await open(browser, url.replace('/oidc/idp/', '/oidc/down/'))).status).toBe(400);
  });

  it.each([
    ['access_denied', 'access_denied'],
    ['server_error', 'provider_unavailable'],
    ['temporarily_unavailable', 'provider_unavailable'],
    ['constructor', 'invalid_response'],
  ])('of the error %s says %s', async (error, reason) => {
    const browser = new FormBrowser();
    const url = await toCallback(browser, person());
    const state = new URL(url).searchParams.get('state')!;
    const refused = new URL(url);
    refused.search = new URLSearchParams({ error, state, iss: provider.issuer }).toString();
    expect((await open(browser, refused.href)).location).toBe(`${RETURN_TO}&error=${reason}`);
  });

  it('is a page with a link in a browser, and a problem for other clients', async () => {
    for (const path of ['idp/callback?state=x&code=y', 'nobody/callback', 'nobody/start', 'idp/start']) {
      const getPage = (accept: string) => fetch(`${app.url}/v1/auth/oidc/${path}`, { headers: { accept } });
      const [page, problem] = [await getPage('text/html,application/xhtml+xml,*/*;q=0.8'), await getPage('*/*')];
      expect([page.status, page.headers.get('content-type')]).toEqual([problem.status, 'text/html; charset=utf-8']);
      const { title } = (await problem.json()) as { title: string };
      const html = await page.text();
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).toContain('<a href="http://localhost:5173">Back to the site</a>');
    }
  });

  it('gets an error code when the provider is down, and a problem for an unknown provider', async () => {
    const down = await app.client.get(startUrl(RETURN_TO, 'down').slice(app.url.length));
    expect([down.status, down.headers.get('location')]).toEqual([302, `${RETURN_TO}&error=provider_unavailable`]);
    const unknown = await app.client.get(startUrl(RETURN_TO, 'constructor').slice(app.url.length));
    expectProblem(unknown, 404, 'provider_not_found');
  });
});

describe('the code', () => {
  it('is valid once', async () => {
    const code = (await comeBack(new FormBrowser(), person())).get('code');
    const answers = await Promise.all([exchange(code), exchange(code), exchange(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await exchange(code)).body.code).toBe('invalid_code');
  });

  it('is valid for a minute', async () => {
    const code = (await comeBack(new FormBrowser(), person())).get('code');
    const rows = app.db.collection('one_time_tokens');
    const [row] = await rows.find({ kind: 'oidc-sign-in' }).sort({ expiresAt: -1 }).limit(1).toArray();
    expect(row!.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    await rows.updateOne({ _id: row!._id }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect((await exchange(code)).body.code).toBe('invalid_code');
  });
});

describe('GET /v1/auth/providers', () => {
  it('lists the providers for every visitor', async () => {
    const { status, body, headers } = await app.client.get('/v1/auth/providers');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(body).toEqual({ data: [{ provider: 'any' }, { provider: 'down' }, { provider: 'idp' }] });
  });
});

describe('returnTo', () => {
  it.each([
    '//evil.example',
    '/v1/feed',
    'https://evil.example/',
    'https://app.example.evil.example/',
    'https://app.example@evil.example/',
    'https://user@app.example/',
    'https://app.example:444/',
    'http://app.example/',
    'https:\\\\evil.example\\@app.example',
    'https://evil.example\\.app.example/',
    'https://evil.example#https://app.example/',
    'javascript:alert(1)//https://app.example/',
    'data:text/html,https://app.example',
    'https://app.example./',
    'https://app.example%2eevil.example/',
    'http://[::1]:5173/',
  ])('is no other page: %p', async (returnTo) => {
    const answer = await app.client.get(startUrl(returnTo).slice(app.url.length));
    expect([answer.status, answer.body.code, answer.headers.get('location')]).toEqual([400, 'invalid_input', null]);
    expect(answer.body.errors[0].field).toBe('returnTo');
  });

  it('is returned unchanged, without a code or an error of its own', async () => {
    const own = 'https://app.example/a?code=mine&error=mine&own=x%20y';
    const { headers } = await app.client.get(startUrl(own, 'down').slice(app.url.length));
    expect(headers.get('location')).toBe('https://app.example/a?own=x+y&error=provider_unavailable');
    const none = await app.client.get('/v1/auth/oidc/idp/start');
    expect([none.status, none.body.errors[0].field]).toEqual([400, 'returnTo']);
    const long = await app.client.get(startUrl(`https://app.example/${'x'.repeat(2_000)}`).slice(app.url.length));
    expect([long.status, long.body.errors[0].field]).toEqual([400, 'returnTo']);
  });
});

describe('an account by its address', () => {
  it('is not linked unless its address is verified on both sides', async () => {
    const account = await app.world.person({ overHttp: true });
    const email = account.email.toUpperCase();
    const errorOf = async (claims: object) => (await comeBack(new FormBrowser(), person(claims))).get('error');
    expect(await errorOf({ email, email_verified: true })).toBe('email_taken');
    await verifyEmail(account);
    expect(await errorOf({ email, email_verified: false })).toBe('email_not_verified');
    expect(await errorOf({ email, email_verified: undefined })).toBe('email_not_verified');
    expect(await errorOf({ email, email_verified: 'yes' })).toBe('email_not_verified');
    expect(await errorOf({ email: undefined })).toBe('email_not_verified');
    expect(await errorOf({ email: 'no address' })).toBe('email_not_verified');
    expect(await identitiesOf(account)).toEqual([]);
    expect(await mailsTo(account.email)).toEqual([]);
    // Reserves an address for its former account.
    const held = { heldEmail: 'held@example.org', heldUntil: new Date(Date.now() + 60_000) };
    await app.db.collection('credentials').updateOne({ _id: new ObjectId(account.id) }, { $set: held });
    expect(await errorOf({ email: 'held@example.org', email_verified: true })).toBe('email_taken');
  });

  it('is verified only in the domains of the provider', async () => {
    const reasonOf = async (email: string, name: string) =>
      (await comeBack(new FormBrowser(), person({ email }), startUrl(RETURN_TO, name))).get('error');
    expect(await reasonOf('ada@elsewhere.example', 'idp')).toBe('email_not_verified');
    expect(await reasonOf('ada@sub.example.org', 'idp')).toBe('email_not_verified');
    expect(await reasonOf('ada@M\u00dcLLER.example', 'idp')).toBeNull();
    expect(await reasonOf('ada@elsewhere.example', 'any')).toBeNull();
  });

  it.each(['user@localhost', 'v@ex-\u200bample.org', '"a b"@example.org'])('is refused as %j', async (email) => {
    const refused = await comeBack(new FormBrowser(), person({ email }), startUrl(RETURN_TO, 'any'));
    expect(refused.get('error')).toBe('email_not_verified');
  });

  it.each<[string, object]>([
    ['by a text', { email_verified: 'true' }],
    ['by userinfo alone', { idToken: { email_verified: undefined } }],
    ['by userinfo alone, with the address', { idToken: { email: undefined, email_verified: undefined } }],
  ])('is verified %s', async (_, claims) => {
    const sub = person(claims);
    const own = { email: `${sub}@example.org`, isEmailVerified: true, hasPassword: false };
    expect((await signInWith(sub)).body.user).toMatchObject(own);
  });

  it('is linked where both are verified, with a mail to its owner; a second identity with the address is not', async () => {
    const account = await app.world.person({ overHttp: true });
    await verifyEmail(account);
    expect((await signInWith(person({ email: account.email }))).id).toBe(account.id);
    expect(await mailsTo(account.email)).toEqual(['A sign-in provider was added to your account']);
    const other = await comeBack(new FormBrowser(), person({ email: account.email }));
    expect(other.get('error')).toBe('email_taken');
    expect(await identitiesOf(account)).toHaveLength(1);
  });
});

describe('linking and unlinking', () => {
  const begin = async ({ token, password }: { token: string; password?: string }): Promise<string> => {
    const asked = { token, body: { returnTo: RETURN_TO, password } };
    const { status, body } = await app.client.post('/v1/auth/identities/idp', asked);
    expect(status).toBe(200);
    return body.url;
  };
  const codeOf = async (account: TestAccount, sub: string) =>
    (await comeBack(new FormBrowser(), sub, await begin(account))).get('code')!;
  const finish = ({ token }: { token: string }, code: string) =>
    app.client.put('/v1/auth/identities/idp', { token, body: { code } });
  const unlink = ({ token }: { token: string }) => app.client.delete('/v1/auth/identities/idp', { token });

  it('adds the identity to the account that began, with any address', async () => {
    const account = await app.world.person({ overHttp: true });
    const sub = person({ email: undefined });
    const code = await codeOf(account, sub);
    expect((await finish(account, code)).body).toMatchObject({ provider: 'idp', email: null });
    expect((await signInWith(sub)).id).toBe(account.id);
    expect(await mailsTo(account.email)).toEqual(['A sign-in provider was added to your account']);
    expect((await finish(account, code)).body.code).toBe('invalid_code');
  });

  it('links nothing when another account opens the address of a started link', async () => {
    const [attacker, victim] = [await app.world.person({ overHttp: true }), await app.world.person({ overHttp: true })];
    const sub = person();
    const code = await codeOf(attacker, sub);
    expect((await finish(victim, code)).body.code).toBe('invalid_code');
    expect((await exchange(code)).body.code).toBe('invalid_code');
    const own = (await comeBack(new FormBrowser(), person())).get('code')!;
    expect((await finish(attacker, own)).body.code).toBe('invalid_code');
    expect([await identitiesOf(attacker), await identitiesOf(victim)]).toEqual([[], []]);
  });

  it('uses the address once, and only at its own provider', async () => {
    const account = await app.world.person({ overHttp: true });
    const url = await begin(account);
    const down = await app.client.get(url.replace('/idp/', '/down/').slice(app.url.length));
    expect(down.body.code).toBe('invalid_code');
    await open(new FormBrowser(), url);
    expect((await open(new FormBrowser(), url)).status).toBe(400);
    const evil = { token: account.token, body: { returnTo: 'https://evil.example/', password: TEST_PASSWORD } };
    expect((await app.client.post('/v1/auth/identities/idp', evil)).status).toBe(400);
  });

  it('refuses an identity of another account, and accepts one of each provider', async () => {
    const sub = person();
    await signInWith(sub);
    const account = await app.world.person({ overHttp: true });
    expect((await finish(account, await codeOf(account, sub))).body.code).toBe('identity_taken');
    const own = person();
    expect((await finish(account, await codeOf(account, own))).status).toBe(200);
    expect((await finish(account, await codeOf(account, own))).status).toBe(200);
    expect((await finish(account, await codeOf(account, person()))).body.code).toBe('identity_taken');
  });

  it('refuses to remove the last one, removes others with a mail, and revokes issued codes', async () => {
    const sub = person();
    const alone = await signInWith(sub);
    const refused = await unlink(alone);
    expectProblem(refused, 409, 'last_sign_in_method');
    expect((await signInWith(sub)).id).toBe(alone.id);
    const account = await app.world.person({ overHttp: true });
    const linked = person();
    await finish(account, await codeOf(account, linked));
    const code = (await comeBack(new FormBrowser(), linked)).get('code');
    expect([(await unlink(account)).status, (await unlink(account)).body.code]).toEqual([204, 'identity_not_found']);
    expect((await exchange(code)).body.code).toBe('invalid_code');
    expect(await mailsTo(account.email)).toContain('A sign-in provider was removed from your account');
    expect((await signInWith(linked)).id).not.toBe(account.id);
  });

  it('is linked again only by its owner after it was unlinked', async () => {
    const account = await app.world.person({ overHttp: true });
    await verifyEmail(account);
    const sub = person({ email: account.email });
    expect((await signInWith(sub)).id).toBe(account.id);
    expect((await unlink(account)).status).toBe(204);
    for (const again of [sub, person({ email: account.email })])
      expect((await comeBack(new FormBrowser(), again)).get('error')).toBe('email_taken');
    expect(await identitiesOf(account)).toEqual([]);
    expect((await finish(account, await codeOf(account, sub))).status).toBe(200);
    expect((await signInWith(sub)).id).toBe(account.id);
  });

  it('is deleted with the account, and the person can register again', async () => {
    const account = await app.world.person({ overHttp: true });
    const sub = person();
    await finish(account, await codeOf(account, sub));
    const code = (await comeBack(new FormBrowser(), sub)).get('code');
    const body = { password: account.password };
    expect((await app.client.delete('/v1/users/me', { token: account.token, body })).status).toBe(204);
    expect((await exchange(code)).body.code).toBe('invalid_code');
    expect(await app.db.collection('identities').countDocuments({ userId: new ObjectId(account.id) })).toBe(0);
    expect((await signInWith(sub)).id).not.toBe(account.id);
  });

  it('lists the identities of an account from its index', async () => {
    const { id } = await signInWith(person());
    const [plan] = await plansOf(app, () => app.app.get(IdentitiesService).listOf(new ObjectId(id)));
    expect(plan).toMatchObject({ docsExamined: 1, nReturned: 1 });
    expect(plan!.plan).toContain('IXSCAN {"userId":1}');
  });
});

describeWith('chromium', 'a person in a browser', (executablePath) => {
  it('signs in with a provider from a page of another site, and is signed in there without typing again', async () => {
    const sub = person({ name: 'Grace Hopper' });
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    const browser = await chromium.launch({ executablePath, args });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(90_000);
      const seen: string[] = [];
      page.on('framenavigated', (frame) => seen.push(frame.url()));
      await page.goto(siteUrl());
      await page.click('#sign-in');
      await page.fill('input[name=login]', sub);
      await page.fill('input[name=password]', 'any');
      await page.click('button[type=submit]');
      await page.waitForSelector('input[name=prompt][value=consent]', { state: 'attached' });
      await page.click('button[type=submit]');
      await page.waitForSelector('#me');
      expect(await page.textContent('#me')).toBe(`Grace Hopper ${sub}@example.org`);
      // The page has removed the code from its URL, which never contained a token.
      expect(page.url()).toBe(`${siteUrl()}/`);
      expect(seen.filter((url) => /eyJ|accessToken/.test(url))).toEqual([]);
      expect((await page.context().cookies(app.url)).filter(({ name }) => name.startsWith('sign-in'))).toEqual([]);
      // The provider recognizes the person at the second sign-in.
      await page.reload();
      expect(await page.locator('#me').count()).toBe(0);
      await page.click('#sign-in');
      await page.waitForSelector('#me');
      expect(await app.db.collection('identities').countDocuments({ _id: `idp:${sub}` as never })).toBe(1);
    } finally {
      await browser.close();
    }
  });
});

function siteUrl(): string {
  return `http://localhost:${(site.address() as AddressInfo).port}`;
}

/** Returns a client page as docs/security.md describes. */
function clientPage(): string {
  return `<!doctype html><button id="sign-in">Sign in</button><script>
    document.getElementById('sign-in').onclick = () => {
      sessionStorage.own = crypto.randomUUID();
      const returnTo = location.origin + '/?own=' + sessionStorage.own;
      location.href = '${app.url}/v1/auth/oidc/idp/start?returnTo=' + encodeURIComponent(returnTo);
    };
    const query = new URLSearchParams(location.search);
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
    if (query.has('code') && query.get('own') === sessionStorage.own) {
      history.replaceState(null, '', '/');
      fetch('${app.url}/v1/auth/exchange', { ...post, body: JSON.stringify({ code: query.get('code') }) })
        .then((answer) => answer.json())
        .then(({ user }) => {
          const me = document.createElement('p');
          me.id = 'me';
          me.textContent = user.fullName + ' ' + user.email;
          document.body.append(me);
        });
    }
  </script>`;
}
