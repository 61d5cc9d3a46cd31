import { readFileSync } from 'node:fs';
import { ObjectId } from 'mongodb';
import { TEST_PASSWORD } from '../support/accounts.js';
import { startApp, useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { expectProblem } from '../support/problem.js';
import type { PersonWithPassword } from '../support/world.js';

describe('the refresh cookie', () => {
  const app = useApp();
  const { world } = app;
  let ada: PersonWithPassword;
  beforeEach(async () => {
    ada = await world.person({ overHttp: true });
  });

  const own = () => ({ origin: app.url });
  const login = (headers: Record<string, string> = own(), to = app) =>
    to.client.post('/v1/auth/login', { body: { login: ada.username, password: TEST_PASSWORD, cookie: true }, headers });
  const cookieOf = ({ headers }: Answer): string => headers.getSetCookie()[0]!.split(';')[0]!;
  const refresh = (cookie: string, headers: Record<string, string> = own()) =>
    app.client.post('/v1/auth/refresh', { body: { cookie: true }, headers: { ...headers, cookie } });
  const status = async (token: string) => (await app.client.get('/v1/auth/me', { token })).status;
  /** Moves the last refresh of all sessions of the account into the past. */
  const age = async (ms: number) => {
    const earlier = { $dateSubtract: { startDate: '$createdAt', unit: 'millisecond', amount: ms } };
    await app.db
      .collection('sessions')
      .updateMany({ userId: new ObjectId(ada.id) }, [
        { $set: { createdAt: earlier, rotatedAt: { $cond: ['$rotatedAt', earlier, null] } } },
      ]);
  };

  it('has the token in place of the body, for the routes of sign-ins only, and not for scripts', async () => {
    const username = `u${ada.username.slice(-12)}`;
    const account = { username, email: `${username}@example.org`, password: TEST_PASSWORD, fullName: 'Ada' };
    const registered = await app.client.post('/v1/auth/register', {
      body: { ...account, cookie: true },
      headers: own(),
    });
    for (const response of [await login(), registered]) {
      const [cookie, ...more] = response.headers.getSetCookie();
      expect(more).toEqual([]);
      expect(cookie).toMatch(/^refresh-token=[\w-]{43}; Path=\/v1\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
      expect(response.body).not.toHaveProperty('refreshToken');
      expect(JSON.stringify(response.body)).not.toContain(cookie!.slice(14, 57));
      expect(await status(response.body.accessToken)).toBe(200);
    }
  });

  it('is sent over TLS only, if the server has a https address', async () => {
    const secure = await startApp({ beside: app, env: { HTTP_PUBLIC_URL: 'https://example.org' } });
    try {
      const [cookie] = (await login({ origin: 'https://example.org' }, secure)).headers.getSetCookie();
      expect(cookie).toMatch(/^__Secure-refresh-token=.*; Secure$/);
    } finally {
      await secure.close();
    }
  });

  it.each([
    ['no origin', {}],
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }],
    ['another site, with a forged origin', { 'sec-fetch-site': 'cross-site', origin: 'own' }],
  ])('is neither set nor used for %s', async (_, given: Record<string, string>) => {
    const headers = given['origin'] === 'own' ? { ...given, ...own() } : given;
    const cookie = cookieOf(await login());

    const signIn = await login(headers);
    const refreshed = await refresh(cookie, headers);
    const signOut = await app.client.post('/v1/auth/logout', {
      body: { cookie: true },
      headers: { ...headers, cookie },
    });

    for (const response of [signIn, refreshed, signOut]) {
      expectProblem(response, 403, 'foreign_origin');
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect((await refresh(cookie)).status).toBe(200);
  });

  it('is used by a page of the server, by the word of the browser', async () => {
    const cookie = cookieOf(await login());
    const { body, headers } = await refresh(cookie, { 'sec-fetch-site': 'same-origin' });
    expect(body).toMatchObject({ expiresIn: 900, user: { id: ada.id } });
    expect(body).not.toHaveProperty('refreshToken');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await status(body.accessToken)).toBe(200);
  });

  it('keeps its token while each page begins with a refresh, and changes it after the life of an access token', async () => {
    const cookie = cookieOf(await login());
    const rows = () => app.db.collection('sessions').countDocuments({ userId: new ObjectId(ada.id) });
    const before = await rows();
    for (let page = 0; page < 30; page++) expect(cookieOf(await refresh(cookie))).toBe(cookie);
    expect(await rows()).toBe(before);

    await age(900_000);
    const next = cookieOf(await refresh(cookie));
    expect(next).not.toBe(cookie);
    // a response that was lost
    expect(cookieOf(await refresh(cookie))).toBe(next);
    expect(await rows()).toBe(before + 1);
  });

  it('ends the session when an earlier token is used again', async () => {
    const cookie = cookieOf(await login());
    await age(900_000);
    const { body, headers } = await refresh(cookie);
    await age(60_000);
    expectProblem(await refresh(cookie), 401, 'invalid_refresh_token');
    expectProblem(await refresh(cookieOf({ body, headers, status: 200 })), 401, 'invalid_refresh_token');
    expect(await status(body.accessToken)).toBe(401);
  });

  it('is removed by a sign-out, which revokes the session', async () => {
    const signedIn = await login();
    const cookie = cookieOf(signedIn);
    const response = await app.client.post('/v1/auth/logout', {
      body: { cookie: true },
      headers: { ...own(), cookie },
    });
    expect([response.status, response.headers.getSetCookie()]).toEqual([
      204,
      ['refresh-token=; Path=/v1/auth; Max-Age=0; HttpOnly; SameSite=Strict'],
    ]);
    expectProblem(await refresh(cookie), 401, 'invalid_refresh_token');
    expect(await status(signedIn.body.accessToken)).toBe(401);
  });

  it('stays after a change of the password, and ends with all sessions', async () => {
    const signedIn = await login();
    const other = cookieOf(await login());
    const token = signedIn.body.accessToken;
    const body = { currentPassword: TEST_PASSWORD, newPassword: 'difference engine no. 2' };
    expect((await app.client.put('/v1/auth/password', { token, body })).status).toBe(204);
    expect([(await refresh(cookieOf(signedIn))).status, (await refresh(other)).status]).toEqual([200, 401]);
    await app.client.delete('/v1/auth/sessions', { token });
    expect((await refresh(cookieOf(signedIn))).status).toBe(401);
  });

  it('is absent, and no cookie is read, for other clients', async () => {
    const cookie = cookieOf(await login());
    const body = { login: ada.username, password: TEST_PASSWORD };
    const tokens = await app.client.post('/v1/auth/login', { body });
    expect(tokens.headers.getSetCookie()).toEqual([]);
    const { refreshToken } = tokens.body;
    const refreshed = await app.client.post('/v1/auth/refresh', { body: { refreshToken }, headers: { cookie } });
    expect(refreshed.body.refreshToken).toMatch(/^[\w-]{43}$/);
    expectProblem(
      await app.client.post('/v1/auth/refresh', { body: {}, headers: { ...own(), cookie } }),
      400,
      'missing_refresh_token',
    );
  });

  it('is offered by every operation that returns tokens', async () => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    const operations = Object.values<any>(document.paths).flatMap<any>(({ post }) => post ?? []);
    const nameIn = (reference?: string) => reference?.split('/').at(-1);
    const schemaOf = (part: any) => nameIn(part?.content?.['application/json']?.schema?.$ref);
    const giving = operations.filter(({ responses }) =>
      [responses['200'], responses['201']].some(
        (response) => (schemaOf(response) ?? nameIn(response?.$ref)) === 'SignedIn',
      ),
    );
    expect(giving.length).toBeGreaterThan(5);
    for (const { operationId, requestBody } of giving) {
      const { properties } = document.components.schemas[schemaOf(requestBody)!];
      expect([operationId, properties.cookie?.type]).toEqual([operationId, 'boolean']);
    }
  });
});
