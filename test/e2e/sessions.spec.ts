import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Binary, ObjectId } from 'mongodb';
import { AccountsService } from '../../src/auth/accounts.service.js';
import { MAX_SIGN_INS, SessionsService } from '../../src/auth/sessions.service.js';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';

describe('the sign-ins of an account', () => {
  const app = useApp({ env: { HTTP_TRUSTED_PROXIES: '127.0.0.1' } });
  const { world } = app;

  const login = async (account: { username: string }, headers: Record<string, string> = {}) => {
    const body = { login: account.username, password: TEST_PASSWORD };
    return (await app.client.post('/v1/auth/login', { body, headers })).body as {
      accessToken: string;
      refreshToken: string;
    };
  };
  /** Adds active sessions, used earlier or later than the first one. */
  const addSignIns = async ({ id }: { id: string }, count: number, byMs: number): Promise<void> => {
    const [row] = await rows().find(openOf(id)).toArray();
    const createdAt = new Date((row!.createdAt as Date).getTime() + byMs);
    const own = () => ({ _id: new ObjectId(), familyId: new ObjectId(), tokenHash: new Binary(randomBytes(32)) });
    await rows().insertMany(Array.from({ length: count }, () => ({ ...row, ...own(), createdAt })));
  };
  const rows = () => app.db.collection('sessions');
  const openOf = (id: string) => ({ userId: new ObjectId(id), rotatedAt: null, revokedAt: null });
  const list = async (token: string) => (await app.client.get('/v1/auth/sessions', { token })).body.data;
  const status = async (token: string) => (await app.client.get('/v1/auth/me', { token })).status;

  it('are listed with device and network, the most recently used first', async () => {
    const account = await world.person({ overHttp: true });
    const v6 = '2001:db8:aaaa:bbbb::7';
    const other = await login(account, { 'user-agent': FIREFOX, 'x-forwarded-for': v6 });
    await login(account, { 'user-agent': 'curl/8.5.0', 'x-forwarded-for': '203.0.113.77' });
    const listed = await list(other.accessToken);
    expect(listed).toMatchObject([
      { device: 'curl', network: '203.0.113.0/24', isCurrent: false },
      { device: 'Firefox on Linux', network: '2001:db8:aaaa::/48', isCurrent: true },
      { device: 'node', network: '127.0.0.0/24', isCurrent: false },
    ]);
    expect(Math.abs(Date.parse(listed[0].createdAt) - Date.parse(listed[0].lastUsedAt))).toBeLessThan(60_000);
  });

  it('stay one, with one id, for any number of token exchanges', async () => {
    const account = await world.person({ overHttp: true });
    const [before] = await list(account.token);
    const refreshed = await app.client.post('/v1/auth/refresh', { body: { refreshToken: account.refreshToken } });
    const after = await list(refreshed.body.accessToken);
    expect(after).toEqual([{ ...before, lastUsedAt: expect.any(String) }]);
    expect(Date.parse(after[0].lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(before.lastUsedAt));
  });

  it('are not readable in the database', async () => {
    const account = await world.person({ overHttp: true });
    await login(account, { 'x-forwarded-for': '198.51.100.7' });
    const rows = await app.db
      .collection('sessions')
      .find({ userId: new ObjectId(account.id) })
      .toArray();
    const bytes = rows.map(({ shownNetwork }) => (shownNetwork as { buffer: Buffer }).buffer.toString('latin1'));
    expect(rows).toHaveLength(2);
    expect(JSON.stringify([rows, bytes])).not.toMatch(/198\.51|127\.0/);
  });

  it('end one by one, with their tokens, and others stay', async () => {
    const account = await world.person({ overHttp: true });
    const other = await login(account);
    const { id } = (await list(other.accessToken)).find((listed: { isCurrent: boolean }) => listed.isCurrent);
    const path = `/v1/auth/sessions/${id}`;
    expect((await app.client.delete(path, { token: account.token })).status).toBe(204);
    expect(await status(other.accessToken)).toBe(401);
    expect((await app.client.post('/v1/auth/refresh', { body: { refreshToken: other.refreshToken } })).status).toBe(
      401,
    );
    expect(await status(account.token)).toBe(200);
    expect(await list(account.token)).toHaveLength(1);
    const again = await app.client.delete(path, { token: account.token });
    expectProblem(again, 404, 'session_not_found');
  });

  it('end all but the current one', async () => {
    const account = await world.person({ overHttp: true });
    const [other, third] = [await login(account), await login(account)];
    const path = '/v1/auth/sessions?keepCurrent=true';
    expect((await app.client.delete(path, { token: other.accessToken })).status).toBe(204);
    expect(await list(other.accessToken)).toMatchObject([{ isCurrent: true }]);
    expect([await status(account.token), await status(third.accessToken)]).toEqual([401, 401]);
    expect((await app.client.delete(`${path}1`, { token: other.accessToken })).status).toBe(400);
  });

  it('are ended by their owner only', async () => {
    const [account, stranger] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const [{ id }] = await list(account.token);
    const answer = await app.client.delete(`/v1/auth/sessions/${id}`, { token: stranger.token });
    expectProblem(answer, 404, 'session_not_found');
    expect(await status(account.token)).toBe(200);
  });

  it('are limited to the listed ones: one more ends the least recently used one', async () => {
    const account = await world.person({ overHttp: true });
    await addSignIns(account, MAX_SIGN_INS - 1, 1);
    expect(await list(account.token)).toHaveLength(MAX_SIGN_INS);
    const { accessToken } = await login(account);
    expect([await status(account.token), await status(accessToken)]).toEqual([401, 200]);
    const { refreshToken } = account;
    expect((await app.client.post('/v1/auth/refresh', { body: { refreshToken } })).status).toBe(401);
    const listed = await list(accessToken);
    expect([listed.length, listed[0].isCurrent]).toEqual([MAX_SIGN_INS, true]);
  });

  it('do not exceed the limit when several begin concurrently, also with a slow clock', async () => {
    const account = await world.person({ overHttp: true });
    await addSignIns(account, MAX_SIGN_INS - 1, 3_600_000);
    const begun = await Promise.all(Array.from({ length: 3 }, () => login(account)));
    expect(await rows().countDocuments(openOf(account.id))).toBe(MAX_SIGN_INS);
    expect(await status(account.token)).toBe(401);
    expect(begun.every(({ accessToken }) => typeof accessToken === 'string')).toBe(true);
  });

  it('that begin while the role of the account becomes a lower one do not have the higher one', async () => {
    const account = await world.person({ overHttp: true });
    await app.db.collection('users').updateOne({ _id: new ObjectId(account.id) }, { $set: { role: 'moderator' } });
    const sessions = app.app.get(SessionsService);
    const endOf = sessions.endOf.bind(sessions);
    let signingIn: Promise<{ accessToken: string }> | undefined;
    const spy = jest.spyOn(sessions, 'endOf').mockImplementation(async (...given) => {
      // Signs in between the write of the role and the read of the sessions. The sign-in may have to wait for the role change.
      signingIn ??= login(account);
      await Promise.race([signingIn, sleep(2_000)]);
      return endOf(...given);
    });
    await app.app.get(AccountsService).setRole(new ObjectId(account.id), 'user');
    spy.mockRestore();
    const claims = (await signingIn!).accessToken.split('.')[1]!;
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ role: 'user' });
  });

  it('are read from an index range, for any number of tokens', async () => {
    const account = await world.person({ overHttp: true });
    let { refreshToken } = account;
    for (let round = 0; round < 5; round++) {
      refreshToken = (await app.client.post('/v1/auth/refresh', { body: { refreshToken } })).body.refreshToken;
    }
    const plans = await plansOf(app, () => list(account.token));
    expect(plans).toMatchObject([{ plan: expect.stringMatching(/^IXSCAN/), docsExamined: 1, nReturned: 1 }]);
  });
});
