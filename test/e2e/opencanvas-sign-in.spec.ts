import { jest } from '@jest/globals';
import { createSigner } from 'fast-jwt';
import { ObjectId } from 'mongodb';
import { SessionsService } from '../../src/auth/sessions.service.js';
import { AppConfig } from '../../src/config/app-config.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { CLIENT, FormBrowser, TestProvider } from '../support/oidc-provider.js';
import { answerOf, type Member, OPENCANVAS_ENV, MemberClient, REFUSED, SITE } from '../support/opencanvas-people.js';
import { expectProblem } from '../support/problem.js';

const OLD_SECRET = 'the secret of an OpenCanvas server';
const DAY_SECONDS = 86_400;
const FAILED = `${SITE}/login?error=google_auth_failed`;

let app: TestApp;
let client: MemberClient;
const provider = new TestProvider();

beforeAll(async () => {
  const issuer = await provider.start();
  app = await startApp({
    env: {
      ...OPENCANVAS_ENV,
      HTTP_PUBLIC_URL: 'http://127.0.0.1:3000',
      OPENCANVAS_JWT_SECRET: OLD_SECRET,
      AUTH_OIDC_PROVIDERS: JSON.stringify({ google: { issuer, ...CLIENT, domains: ['*'] } }),
    },
  });
  client = new MemberClient(app);
  // The port of the app is known only now.
  for (const { http } of app.everyOf(AppConfig)) http.publicUrl = app.url;
  provider.serve(`${app.url}/oc/auth/google/callback`);
});
afterAll(async () => {
  await app.close();
  await provider.stop();
});

const get = (path: string, token?: string): Promise<Answer> => client.get(path, token);
const member = (): Promise<Member> => client.member();

/** Returns a token as an OpenCanvas server issued it. */
function oldToken(userId: string, email: string, key = OLD_SECRET): string {
  const expiresIn = 7 * DAY_SECONDS * 1_000;
  return createSigner({ key, algorithm: 'HS256', expiresIn, jti: new ObjectId().toHexString() })({ userId, email });
}

describe('signing in with Google', () => {
  async function signIn(sub: string): Promise<{ location: string; browser: FormBrowser }> {
    const browser = new FormBrowser();
    const callback = await browser.until(`${app.url}/oc/auth/google/callback`, `${app.url}/oc/auth/google`, sub);
    const { location, status } = await browser.send(callback);
    expect(status).toBe(302);
    return { location: location!, browser };
  }
  const tokenIn = (location: string): string => {
    expect(location).toMatch(/^http:\/\/localhost:5173\/auth\/success\?token=[\w.-]+$/);
    return new URL(location).searchParams.get('token')!;
  };

  it('returns to the client with a token for seven days, which gets the account', async () => {
    provider.people.set('zoe', { email: 'Zoe@Example.org', email_verified: true, name: 'Zoë Müller' });

    const token = tokenIn((await signIn('zoe')).location);
    const { status, body, headers } = await get('/auth/user', token);

    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    expect(exp - iat).toBe(7 * DAY_SECONDS);
    expect([status, body.success, headers.get('deprecation')?.[0]]).toEqual([200, true, '@']);
    expect(body.user).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      username: expect.stringMatching(/^zoe_muller\d{4,5}$/),
      ...{ fullName: 'Zoë Müller', email: 'zoe@example.org', role: 'user', profilePicture: '', designation: '' },
      ...{ aboutMe: '', interestedIn: [], contactInformation: [], featuredItems: [], collections: [] },
      stats: { followersCount: 0, followingCount: 0, postsCount: 0, likesReceivedCount: 0 },
      notifications: {
        ...{ emailNotification: true, pushNotification: true, mentionNotification: true },
        ...{ followNotification: true, commentNotification: false, messageNotification: true },
      },
      premiumUser: { isPremium: false, subscriptionType: 'none' },
      lastFiveLogin: [
        { loginTime: expect.any(String), deviceInfo: expect.any(String), ipAddress: expect.stringMatching(/\/\d+$/) },
      ],
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
  });

  it('is stored by no cache, and its address is sent to no other site', async () => {
    const { status, headers } = await get('/auth/google');
    expect([status, headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      ...[302, 'no-store', 'no-referrer'],
    ]);
    expect(new URL(headers.get('location')!).origin).toBe(provider.issuer);
  });

  it('returns to the sign-in page of the client when it fails', async () => {
    provider.people.set('unverified', { email: 'unverified@example.org', email_verified: false, name: 'Unverified' });
    expect((await signIn('unverified')).location).toBe(FAILED);
    const { status, headers } = await get('/auth/google/callback?state=unknown&code=unknown');
    expect([status, headers.get('location')]).toEqual([302, FAILED]);
  });

  it('gives a token that is refused when it was not used within five minutes, and lasts for seven days once it was', async () => {
    provider.people.set('ben', { email: 'ben@example.org', email_verified: true, name: 'Ben' });
    const sessions = app.db.collection('sessions');
    const leftOf = async (token: string): Promise<[ObjectId, number]> => {
      const { sid } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
      const row = await sessions.findOne({ familyId: new ObjectId(String(sid)) });
      return [row!._id, Math.round((row!.expiresAt - Date.now()) / 60_000)];
    };
    const [unused, used] = [tokenIn((await signIn('ben')).location), tokenIn((await signIn('ben')).location)];
    const [id, left] = await leftOf(unused);
    await sessions.updateOne({ _id: id }, { $set: { expiresAt: new Date(Date.now() - 1) } });

    const answers = [await get('/auth/user', unused), await get('/auth/user', used)];

    expect([left, ...answers.map(({ status }) => status)]).toEqual([5, 401, 200]);
    expect((await leftOf(used))[1]).toBe((7 * DAY_SECONDS) / 60);
  });
});

describe('a token of the OpenCanvas API', () => {
  it('opens nothing under /v1, and no access token opens the API', async () => {
    const { oc, token, username } = await member();
    expect((await get('/auth/user', oc)).status).toBe(200);
    // This process has cached the token by now.
    for (const path of ['/v1/auth/me', '/v1/feed/following', `/v1/posts/mine`])
      expectProblem(await app.client.get(path, { token: oc }), 401, 'invalid_token');
    expect((await app.client.get('/v1/auth/me', { token })).status).toBe(200);
    for (const path of ['/auth/user', `/u/${username}`]) expect(answerOf(await get(path, token))).toEqual(REFUSED);
  });

  it('lets API tokens in as far as their scopes go', async () => {
    const person = await member();
    const { token } = await app.world.apiToken({ by: person, scopes: ['read'] });
    const follow = { token, body: { targetUserId: person.id } };
    expect((await get(`/u/${person.username}`, token)).status).toBe(200);
    expect((await client.send('POST', '/follow-unfollow/user', follow)).status).toBe(403);
  });

  it('is refused when it is malformed, forged or of a visitor', async () => {
    const { oc } = await member();
    const forged = oc.slice(0, -3) + (oc.endsWith('AAA') ? 'BBB' : 'AAA');
    for (const token of [forged, 'undefined', 'a.b.c'])
      expect(answerOf(await get('/auth/user', token))).toEqual(REFUSED);
    const visitor = await get('/auth/user');
    expect(answerOf(visitor)).toEqual({ status: 401, body: { success: false, message: 'Access token required' } });
  });

  it('ends with its session, also where it is known', async () => {
    const { oc, token, signInId } = await member();
    expect((await get('/auth/user', oc)).status).toBe(200);
    expect((await app.client.delete(`/v1/auth/sessions/${signInId}`, { token })).status).toBe(204);
    expect(answerOf(await get('/auth/user', oc))).toEqual(REFUSED);
  });

  it('ends with its account', async () => {
    const { oc, token, password, username } = await member();
    expect((await get('/auth/user', oc)).status).toBe(200);
    expect((await app.client.delete('/v1/users/me', { token, body: { password } })).status).toBe(204);
    expect([(await get('/auth/user', oc)).status, (await get(`/u/${username}`)).status]).toEqual([401, 404]);
  });

  it('is looked up once by a process for many requests', async () => {
    const { oc } = await member();
    const spies = app.everyOf(SessionsService).map((sessions) => jest.spyOn(sessions, 'keepOpen'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/auth/user', oc)));
    const counts = spies.map((spy) => spy.mock.calls.length);
    for (const spy of spies) spy.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(counts.filter((count) => count > 1)).toEqual([]);
  });
});

describe('a token that an OpenCanvas server issued', () => {
  const importAccount = (userId: ObjectId) =>
    app.db.collection('credentials').updateOne({ _id: userId }, { $set: { importedAt: new Date() } });

  it('is accepted for an imported account with its address, and for no other', async () => {
    const [imported, other] = [await member(), await member()];
    await importAccount(imported._id);
    const tokens = [
      oldToken(imported.id, imported.email.toUpperCase()),
      oldToken(imported.id, 'another@example.org'),
      oldToken(imported.id, imported.email, 'another secret'),
      oldToken(other.id, other.email),
      oldToken('no id', imported.email),
    ];
    const statuses = await Promise.all(tokens.map(async (token) => (await get('/auth/user', token)).status));
    expect(statuses).toEqual([200, 401, 401, 401, 401]);
    expectProblem(await app.client.get('/v1/auth/me', { token: tokens[0]! }), 401, 'invalid_token');
  });

  it('is refused after the end of the account', async () => {
    const { _id, id, email, token, password } = await member();
    await importAccount(_id);
    const old = oldToken(id, email);
    expect((await get('/auth/user', old)).status).toBe(200);
    await app.client.delete('/v1/users/me', { token, body: { password } });
    expect(answerOf(await get('/auth/user', old))).toEqual(REFUSED);
  });

  it.each([
    ['signed out everywhere', (token: string) => app.client.delete('/v1/auth/sessions', { token })],
    [
      'changed the password',
      (token: string, currentPassword: string) =>
        app.client.put('/v1/auth/password', { token, body: { currentPassword, newPassword: 'battery staple horse' } }),
    ],
  ])('is refused once the owner has %s', async (_, act) => {
    const { _id, id, email, token, password } = await member();
    await importAccount(_id);
    expect((await get('/auth/user', oldToken(id, email))).status).toBe(200);
    expect((await act(token, password)).status).toBe(204);
    expect((await get('/auth/user', oldToken(id, email))).status).toBe(401);
  });
});
