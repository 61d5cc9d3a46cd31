import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { AppConfig } from '../../src/config/app-config.js';
import { TextChecksService } from '../../src/rules/text-checks.service.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { startApp, type TestApp } from '../support/app.js';
import { CLIENT, FormBrowser, TestProvider } from '../support/oidc-provider.js';
import { expectProblem } from '../support/problem.js';

const LIMIT = 2;
const provider = new TestProvider();
let app: TestApp;

beforeAll(async () => {
  const issuer = await provider.start();
  app = await startApp({
    direct: 'registers from addresses of its choice',
    env: {
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_REGISTRATIONS_PER_HOUR: String(LIMIT),
      RATE_LIMIT_AUTH_PER_MINUTE: '1000',
      HTTP_TRUSTED_PROXIES: 'loopback',
      HTTP_PUBLIC_URL: 'http://127.0.0.1:3000',
      AUTH_OIDC_PROVIDERS: JSON.stringify({ idp: { issuer, ...CLIENT, domains: ['*'] } }),
      AUTH_RETURN_ORIGINS: 'https://app.example',
    },
  });
  // The port of the app is known only now.
  for (const { http } of app.everyOf(AppConfig)) http.publicUrl = app.url;
  provider.serve(`${app.url}/v1/auth/oidc/idp/callback`);
});
afterAll(async () => {
  await app.close();
  await provider.stop();
});

const register = (address: string, email?: string) => {
  const username = `r${randomBytes(5).toString('hex')}`;
  const body = { username, email: email ?? `${username}@example.org`, password: TEST_PASSWORD, fullName: 'Mary' };
  return app.client.post('/v1/auth/register', { body, headers: { 'x-forwarded-for': address } });
};

/** Signs a person in at the provider from an address, and returns the outcome. */
async function signIn(address: string, sub: string, claims: { email?: string; name?: string } = {}) {
  provider.people.set(sub, { email: `${sub}@example.org`, email_verified: true, name: 'Mary', ...claims });
  const browser = new FormBrowser({ 'x-forwarded-for': address });
  const start = `${app.url}/v1/auth/oidc/idp/start?returnTo=https%3A%2F%2Fapp.example%2F`;
  const callback = await browser.until(`${app.url}/v1/auth/oidc/idp/callback`, start, sub);
  return Object.fromEntries(new URL((await browser.send(callback)).location!).searchParams);
}
const SIGNED_IN = { code: expect.any(String) };

describe('the limit of registrations', () => {
  it('counts accounts with a password and first sign-ins with a provider together', async () => {
    expect(await signIn('198.18.1.1', 'first')).toEqual(SIGNED_IN);
    expect((await register('198.18.1.1')).status).toBe(201);

    expectProblem(await register('198.18.1.1'), 429, 'rate_limited');
    expect(await signIn('198.18.1.1', 'second')).toEqual({ error: 'rate_limited' });
    expect(await app.db.collection('credentials').countDocuments({ email: 'second@example.org' })).toBe(0);
    expect(await signIn('198.18.1.1', 'first')).toEqual(SIGNED_IN);
    expect(await signIn('198.18.2.1', 'second')).toEqual(SIGNED_IN);
  });

  it('counts no failed first sign-in, and no later one', async () => {
    const { email } = (await register('198.18.3.1')).body.user;
    for (let attempt = 0; attempt < LIMIT; attempt++)
      expect(await signIn('198.18.4.1', 'taken', { email })).toEqual({ error: 'email_taken' });
    for (let attempt = 0; attempt <= LIMIT; attempt++) expect(await signIn('198.18.4.1', 'known')).toEqual(SIGNED_IN);
    expect((await register('198.18.4.1')).status).toBe(201);
    expectProblem(await register('198.18.4.1'), 429, 'rate_limited');
  });

  it('admits ten times as many from a /24 as from one address', async () => {
    for (let host = 1; host <= 10; host++)
      for (let count = 0; count < LIMIT; count++) expect((await register(`198.18.5.${host}`)).status).toBe(201);

    expectProblem(await register('198.18.5.11'), 429, 'rate_limited');
    expect(await signIn('198.18.5.12', 'third')).toEqual({ error: 'rate_limited' });
    expect((await register('198.18.6.11')).status).toBe(201);
  });
});

describe('a first sign-in with a provider', () => {
  it('is refused with another spelling of the address of a banned account', async () => {
    const { id } = (await register('198.18.7.1', 'first.last+x@gmail.com')).body.user;
    await app.world.moderate({ kind: 'ban', targetKind: 'user', targetId: id });

    const other = { email: 'f.irstlast@googlemail.com' };
    expect(await signIn('198.18.7.1', 'banned', other)).toEqual({ error: 'email_taken' });

    await app.world.moderate({ kind: 'lift', targetKind: 'user', targetId: id });
    expect(await signIn('198.18.7.1', 'banned', other)).toEqual(SIGNED_IN);
  });

  it('gets a neutral name for one that a rule rejects', async () => {
    await app.world.rule({ value: 'casino', action: 'reject', scope: ['profile'] });

    expect(await signIn('198.18.8.1', 'named', { name: 'Casino Royal' })).toEqual(SIGNED_IN);

    const { _id } = (await app.db.collection('credentials').findOne({ email: 'named@example.org' }))!;
    const { username, fullName } = (await app.db.collection('users').findOne({ _id }))!;
    expect([username, fullName]).toEqual([expect.stringMatching(/^reader\d+$/), username]);
  });

  it('matches the names with the rules once', async () => {
    const checks = jest.spyOn(app.app.get(TextChecksService), 'check');

    expect(await signIn('198.18.9.1', 'checked')).toEqual(SIGNED_IN);

    expect(checks).toHaveBeenCalledTimes(1);
    checks.mockRestore();
  });
});
