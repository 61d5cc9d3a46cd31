import { ObjectId } from 'mongodb';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { useApp } from '../support/app.js';
import { signUp, type TestAccount } from '../support/accounts.js';
import { addApp } from '../support/authenticator-app.js';
import { plansOf } from '../support/plans.js';

const EACH = 5;

describe('the queries of accounts', () => {
  const app = useApp();
  const { world } = app;
  let account: TestAccount;
  let exportPath: string;

  beforeAll(async () => {
    for (let person = 0; person < 3; person++) {
      account = await signUp(app.client);
      const { token, username: login, password } = account;
      const userId = new ObjectId(account.id);
      for (let at = 0; at < EACH; at++) {
        await app.world.passkey({ _id: userId });
        await world.apiToken({ by: account, scopes: ['read'] });
        await app.client.post('/v1/auth/login', { body: { login, password } });
        const identity = { _id: `idp${at}:${account.id}` as never, userId, email: null };
        await app.db.collection('identities').insertOne({ ...identity, createdAt: new Date(), lastUsedAt: new Date() });
        const draft = { title: 'Notes', content: `Text ${at}.`, type: 'article' };
        for (const path of ['/v1/posts', '/v1/drafts']) await app.client.post(path, { token, body: draft });
      }
      await addApp(app.client, account);
      exportPath = (await app.client.post('/v1/users/me/exports', { token })).headers.get('location')!;
    }
  });

  const get = (path: string) => app.client.get(path, { token: account.token });

  it.each([
    ['my sign-ins', () => get('/v1/auth/sessions'), EACH + 1],
    ['my passkeys', () => get('/v1/auth/passkeys'), EACH],
    ['my linked providers', () => get('/v1/auth/identities'), EACH],
    ['my API tokens', () => get('/v1/auth/tokens'), EACH],
    ['an export of mine', () => get(exportPath), 1],
  ])('reads %s as one range of an index', async (_, ask, count) => {
    const plans = await plansOf(app, async () => expect((await ask()).status).toBe(200));
    expect(plans).toHaveLength(1);
    expect(plans[0]).toMatchObject({ docsExamined: count, nReturned: count });
    expect(plans[0]!.plan).toMatch(/^(IXSCAN|IDHACK|EXPRESS)/);
  });

  it.each([
    [
      'a sign-in that needs a second factor',
      () => app.client.post('/v1/auth/login', { body: { login: account.username, password: account.password } }),
    ],
    [
      'a wrong code for it',
      () =>
        app.client.delete('/v1/auth/totp', {
          token: account.token,
          body: { password: account.password, code: '000000' },
        }),
    ],
    [
      'options for a passkey',
      () =>
        app.client.post('/v1/auth/passkeys/options', { token: account.token, body: { password: account.password } }),
    ],
    ['the link of a mail', () => app.client.put('/v1/auth/email/undo', { body: { token: 'x'.repeat(43) } })],
    ['a refresh', () => app.client.post('/v1/auth/refresh', { body: { refreshToken: account.refreshToken } })],
    [
      'the accounts related to one',
      async () => {
        const { token } = await world.person({ role: 'moderator' });
        const { body } = await app.client.get(`/v1/admin/users/${account.id}/related`, { token });
        expect(body.data).toHaveLength(2);
      },
    ],
    ['making all exports, with what they hold', () => app.app.get(TaskWorker).work(AbortSignal.timeout(60_000))],
  ])('finds by an index what it needs for %s', async (_, work) => {
    const plans = await plansOf(app, () => Promise.resolve(work()));
    expect(plans.length).toBeGreaterThan(0);
    for (const { plan, docsExamined } of plans) {
      // GridFS reads one file to check whether its collections have indexes.
      if (plan === 'COLLSCAN' && docsExamined <= 1) continue;
      expect(plan).toMatch(/IXSCAN|IDHACK|EXPRESS|EOF/);
      expect(plan).not.toMatch(/COLLSCAN|\bSORT\b/);
    }
  });
});
