import { hostname } from 'node:os';
import { TokenRevocations } from '../../src/auth/token-revocations.js';
import { useApp } from '../support/app.js';
import { signUp, type TestAccount } from '../support/accounts.js';
import { addApp } from '../support/authenticator-app.js';
import { runCli } from '../support/cli.js';
import { mailTasks } from '../support/mails.js';

describe('cli accounts', () => {
  const app = useApp();

  const run = (...command: string[]) => runCli(app, ['accounts', ...command]);
  const me = ({ token }: TestAccount) => app.client.get('/v1/auth/me', { token });
  const roleOf = async ({ username }: TestAccount) => (await app.client.get(`/v1/users/${username}`)).body.role;

  it('gives a role, logs the operator, and removes the role with every session', async () => {
    const account = await signUp(app.client);
    const given = await run('role', account.username.toUpperCase(), 'moderator');
    expect(given).toMatchObject({ status: 0, text: expect.stringContaining(hostname()) });
    expect(given.text).toContain(`account ${account.username} (${account.id}): role user -> moderator`);
    expect((await app.db.collection('users').findOne({ username: account.username }))!['role']).toBe('moderator');
    const renewed = await app.client.post('/v1/auth/refresh', { body: { refreshToken: account.refreshToken } });
    expect(renewed.body.user.role).toBe('moderator');
    expect(await run('role', account.username, 'user')).toMatchObject({ status: 0 });
    await app.app.get(TokenRevocations).load();
    expect((await me({ ...account, token: renewed.body.accessToken })).status).toBe(401);
    expect(await roleOf(account)).toBe('user');
  });

  it('shows an account with its verified address', async () => {
    const account = await signUp(app.client);
    expect((await me(account)).body.isEmailVerified).toBe(false);
    expect((await run('verify', account.username)).status).toBe(0);
    const { status, text } = await run('show', account.username);
    expect(status).toBe(0);
    for (const fact of [account.id, `${account.email} (verified)`]) expect(text).toContain(fact);
    expect(text).toMatch(/^role +user$/m);
    expect(text).not.toContain('argon2');
    expect((await me(account)).body.isEmailVerified).toBe(true);
  });

  it('finds an account by any spelling of its e-mail address', async () => {
    const account = await signUp(app.client);
    const { status, text } = await run('show', account.email.toUpperCase());
    expect([status, text]).toEqual([0, expect.stringContaining(account.id)]);
    expect((await run('show', 'nobody@example.org')).status).toBe(1);
  });

  it('switches a second factor off, logs the operator and mails the owner', async () => {
    const account = await signUp(app.client);
    const logIn = () =>
      app.client.post('/v1/auth/login', { body: { login: account.username, password: account.password } });
    const mails = () => mailTasks(app).countDocuments({ topic: 'mail' });
    const before = await mails();
    await addApp(app.client, account);
    expect((await logIn()).status).toBe(401);
    const { status, text } = await run('second-factor', account.username, 'off');
    expect([status, text]).toEqual([0, expect.stringContaining(`(${account.id}): second factor off`)]);
    expect((await logIn()).status).toBe(200);
    // One mail each for on and off.
    expect((await mails()) - before).toBe(2);
    expect(await run('second-factor', account.username, 'off')).toMatchObject({ status: 1 });
  });

  it('changes nothing of an account without an address', async () => {
    const account = await signUp(app.client);
    await app.db.collection('credentials').deleteOne({ email: account.email });
    const { username } = account;
    for (const command of [
      ['verify', username],
      ['second-factor', username, 'off'],
    ])
      expect(await run(...command)).toEqual({
        status: 1,
        text: `The account ${username} has no e-mail address and cannot sign in.\n`,
      });
  });

  it('deletes an account only with --yes', async () => {
    const account = await signUp(app.client);
    expect(await run('end', account.username)).toMatchObject({ status: 1, text: expect.stringContaining('--yes') });
    expect((await me(account)).status).toBe(200);
    expect((await run('end', account.username, '--yes')).status).toBe(0);
    await app.app.get(TokenRevocations).load();
    expect((await me(account)).status).toBe(401);
    expect(await app.db.collection('credentials').countDocuments({ email: account.email })).toBe(0);
  });

  it('makes an invite, and keeps the role of the last admin', async () => {
    const { status, text } = await run('invite', '--uses', '3', '--days', '1', '--note', 'for the circle');
    const [code] = text.trim().split('\n');
    expect([status, code]).toEqual([0, expect.stringMatching(/^[\w-]{43}$/)]);
    const rows = await app.db.collection('invites').find().toArray();
    expect(rows).toMatchObject([{ creatorId: null, uses: 3, usedCount: 0, note: 'for the circle' }]);
    expect(await run('invite', '--uses', '101')).toMatchObject({ status: 1, text: expect.stringContaining('100') });

    const { username } = await signUp(app.client);
    expect((await run('role', username, 'admin')).status).toBe(0);
    const refused = await run('role', username, 'user');
    expect(refused).toEqual({ status: 1, text: 'Give another account the role first.\n' });
    const logged = await app.db.collection('moderation_actions').find({ actorRole: 'operator' }).toArray();
    expect(logged.map(({ kind }) => kind)).toContain('create_invite');
  });

  it('refuses an unknown role and an unknown account with one sentence', async () => {
    expect(await run('role', 'somebody', 'root')).toMatchObject({
      status: 1,
      text: expect.stringContaining('moderator'),
    });
    expect(await run('show', 'nobody_here')).toMatchObject({ status: 1, text: expect.stringContaining('nobody_here') });
  });
});
