import { ObjectId } from 'mongodb';
import { TokenRevocations } from '../../src/auth/token-revocations.js';
import { SessionsService } from '../../src/auth/sessions.service.js';
import { startApp, useApp } from '../support/app.js';
import { type TestAccount, TEST_PASSWORD } from '../support/accounts.js';
import type { TestClient } from '../support/client.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';

const NEW_PASSWORD = 'battery staple correct';

const app = useApp();
const { world } = app;

type SignIn = { token: string; refreshToken: string };

// Retries, because each request waits for a hash.
const login = ({ username }: TestAccount, password = TEST_PASSWORD, client: TestClient = app.patient) =>
  client.post('/v1/auth/login', { body: { login: username, password } });
const signIn = async (account: TestAccount): Promise<SignIn> => {
  const { status, body } = await login(account);
  expect(status).toBe(200);
  return { token: body.accessToken, refreshToken: body.refreshToken };
};
const meOf = ({ token }: { token: string }, client: TestClient = app.client) => client.get('/v1/auth/me', { token });
const refresh = ({ refreshToken }: { refreshToken: string }) =>
  app.client.post('/v1/auth/refresh', { body: { refreshToken } });
const change = ({ token }: { token: string }, body: object = {}) =>
  app.patient.put('/v1/auth/password', {
    token,
    body: { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD, ...body },
  });

async function expectEnded(one: SignIn, client: TestClient = app.client): Promise<void> {
  const { status, body } = await meOf(one, client);
  expect([status, body.code]).toEqual([401, 'invalid_token']);
  expect((await refresh(one)).body.code).toBe('invalid_refresh_token');
}

describe('PUT /v1/auth/password', () => {
  it('replaces the old password, and ends every session but its own', async () => {
    const account = await world.person({ overHttp: true });
    const [other, third] = [await signIn(account), await signIn(account)];
    const renewed = await refresh(third);
    const bystander = await world.person({ overHttp: true });
    expect((await change(account)).status).toBe(204);
    for (const ended of [other, third]) await expectEnded(ended);
    await expectEnded({ token: renewed.body.accessToken, refreshToken: renewed.body.refreshToken });
    expect((await meOf(account)).status).toBe(200);
    expect((await refresh(account)).status).toBe(200);
    expect((await meOf(bystander)).status).toBe(200);
    expect([(await login(account)).status, (await login(account, NEW_PASSWORD)).status]).toEqual([401, 200]);
  });

  it('takes effect in another process, and in one that starts later', async () => {
    const account = await world.person({ overHttp: true });
    const ended = await signIn(account);
    const other = await startApp({ beside: app });
    try {
      expect((await meOf(ended, other.client)).status).toBe(200);
      expect((await change(account)).status).toBe(204);
      await other.app.get(TokenRevocations).load();
      await expectEnded(ended, other.client);
      expect((await meOf(account, other.client)).status).toBe(200);
    } finally {
      await other.close();
    }
    const late = await startApp({ beside: app });
    try {
      await expectEnded(ended, late.client);
    } finally {
      await late.close();
    }
  });

  it('changes nothing for a wrong password, which it names, or without a token', async () => {
    const account = await world.person({ overHttp: true });
    const other = await signIn(account);
    const answer = await change(account, { currentPassword: 'not the password' });
    expect([answer.status, answer.body]).toEqual([
      401,
      expect.objectContaining({
        code: 'invalid_credentials',
        detail: 'Wrong password.',
        errors: [{ field: 'currentPassword', message: 'must be your present password' }],
      }),
    ]);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect([(await meOf(other)).status, (await login(account)).status]).toEqual([200, 200]);
    const anonymous = await app.client.put('/v1/auth/password', {
      body: { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD },
    });
    expect(anonymous.status).toBe(401);
  });

  it.each([
    ['a short password', { newPassword: 'seven c' }, 'newPassword'],
    ['a long password', { newPassword: 'x'.repeat(129) }, 'newPassword'],
    ['no new password', { newPassword: undefined }, 'newPassword'],
    ['an operator', { currentPassword: { $gt: '' } }, 'currentPassword'],
    ['a list', { newPassword: [NEW_PASSWORD] }, 'newPassword'],
    ['another account', { userId: '6650c3a2f1d2b3c4d5e6f708' }, 'userId'],
  ])('refuses %s and names the field', async (_, body, field) => {
    const account = await world.person({ overHttp: true });
    const answer = await change(account, body);
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect((await login(account)).status).toBe(200);
  });

  it('requires the current password if the account has one', async () => {
    const account = await world.person({ overHttp: true });
    const { status, body } = await change(account, { currentPassword: undefined });
    expect([status, body.code, body.errors[0].field]).toEqual([401, 'invalid_credentials', 'currentPassword']);
    expect((await login(account)).status).toBe(200);
  });

  it('leaves no session of the old password, not even a concurrent one', async () => {
    const account = await world.person({ overHttp: true });
    const coming = Array.from({ length: 12 }, () => login(account));
    const [changed, ...logins] = await Promise.all([change(account), ...coming]);
    expect(changed.status).toBe(204);
    for (const { status, body } of logins) {
      if (status !== 200) expect([status, body.code]).toEqual([401, 'invalid_credentials']);
      else await expectEnded({ token: body.accessToken, refreshToken: body.refreshToken });
    }
  });

  it('happens once when two change it at the same time', async () => {
    const account = await world.person({ overHttp: true });
    const second = await signIn(account);
    const passwords = [NEW_PASSWORD, 'another new password'];
    const answers = await Promise.all([
      change(account, { newPassword: passwords[0] }),
      change(second, { newPassword: passwords[1] }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const taken = answers.findIndex(({ status }) => status === 204);
    expect((await login(account, passwords[taken])).status).toBe(200);
    expect((await login(account, passwords[1 - taken])).status).toBe(401);
  });
});

describe('DELETE /v1/auth/sessions', () => {
  it('ends every session of the account, the current one included, and no other account’s', async () => {
    const account = await world.person({ overHttp: true });
    const other = await signIn(account);
    const bystander = await world.person({ overHttp: true });
    const { status } = await app.client.delete('/v1/auth/sessions', { token: other.token });
    expect(status).toBe(204);
    for (const ended of [account, other]) await expectEnded(ended);
    expect((await meOf(bystander)).status).toBe(200);
    expect((await meOf(await signIn(account))).status).toBe(200);
    expect((await app.client.delete('/v1/auth/sessions')).status).toBe(401);
  });

  it('can be repeated, and revokes the tokens of a session without a row', async () => {
    const account = await world.person({ overHttp: true });
    await app.db.collection('sessions').deleteMany({ userId: new ObjectId(account.id) });
    expect((await app.client.delete('/v1/auth/sessions', { token: account.token })).status).toBe(204);
    expect((await meOf(account)).status).toBe(401);
  });
});

describe('signing out', () => {
  it('revokes the access tokens of that session only', async () => {
    const account = await world.person({ overHttp: true });
    const other = await signIn(account);
    const renewed = await refresh(other);
    await app.client.post('/v1/auth/logout', { body: { refreshToken: renewed.body.refreshToken } });
    for (const token of [other.token, renewed.body.accessToken]) expect((await meOf({ token })).status).toBe(401);
    expect((await meOf(account)).status).toBe(200);
  });

  it('is found by processes in an index of ended sessions only', async () => {
    const account = await world.person({ overHttp: true });
    await app.db.collection('sessions').updateMany({ revokedAt: { $ne: null } }, { $set: { revokedAt: new Date(0) } });
    await app.client.post('/v1/auth/logout', { body: { refreshToken: account.refreshToken } });
    const [plan] = await plansOf(app, () => app.app.get(SessionsService).endedWithin(60_000));
    expect(plan).toMatchObject({ plan: 'IXSCAN {"revokedAt":1}', docsExamined: 1, nReturned: 1 });
  });
});
