import { BSON, type CommandStartedEvent, ObjectId } from 'mongodb';
import { AccountMails } from '../../src/auth/account-mails.js';
import { AppConfig } from '../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { MAILS_PER_HOUR } from '../../src/platform/mail/mail-counts.js';
import { MailService } from '../../src/platform/mail/mail.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { startApp, type TestApp, testEnvironment } from '../support/app.js';
import { AccountRequests, Mailbox, SITE } from '../support/account-mails.js';
import { type TestAccount, TEST_PASSWORD } from '../support/accounts.js';
import { commandsOf } from '../support/commands.js';
import { mendClock, shiftClock } from '../support/shifted-clock.js';
import { anAddress, TestSmtp, textOf } from '../support/smtp.js';
import { until } from '../support/until.js';

const NEW_PASSWORD = 'battery staple correct';
const SECOND_PASSWORD = 'staple correct battery';

describe('a new password by mail', () => {
  const smtp = new TestSmtp();
  const mailbox = new Mailbox(smtp);
  /** Sends the mails. */
  let jobs: TestApp;
  /** Serves the requests, like a second process. */
  let app: TestApp;
  let requests: AccountRequests;

  beforeAll(async () => {
    const settings = { SMTP_URL: await smtp.start(), PUBLIC_SITE_URL: `${SITE}/` };
    jobs = await startApp({ env: settings, role: 'all' });
    app = await startApp({ beside: jobs, env: settings });
    requests = new AccountRequests(app);
  });
  afterAll(async () => {
    await app.close();
    await jobs.close();
    await smtp.stop();
  });

  const account = () => app.world.person({ overHttp: true });
  const linkFor = async ({ email }: Pick<TestAccount, 'email'>): Promise<string> => {
    expect((await requests.askReset(email)).status).toBe(202);
    return mailbox.token(email, 'reset');
  };
  const loginStatus = async ({ username }: TestAccount, password: string) =>
    (await requests.login(username, password)).status;
  const expectRefused = async (token: string): Promise<void> => {
    const { status, body } = await requests.reset(token, NEW_PASSWORD);
    expect([status, body.code]).toEqual([400, 'invalid_reset_token']);
  };

  it('replaces the old one, ends every session, verifies the address, and sends its owner a mail', async () => {
    const owner = await account();
    const bystander = await account();
    const other = (await requests.login(owner.username, TEST_PASSWORD)).body.accessToken as string;
    const token = await linkFor(owner);
    expect(await requests.reset(token, NEW_PASSWORD)).toMatchObject({ status: 204, body: '' });
    expect([await loginStatus(owner, TEST_PASSWORD), await loginStatus(owner, NEW_PASSWORD)]).toEqual([401, 200]);
    for (const ended of [owner.token, other]) expect((await requests.me({ token: ended })).status).toBe(401);
    expect((await requests.refresh(owner)).status).toBe(401);
    expect((await requests.me(bystander)).status).toBe(200);
    const { body } = await requests.login(owner.email.toUpperCase(), NEW_PASSWORD);
    expect(body.user.isEmailVerified).toBe(true);
    await mailbox.next(owner.email, 'passwordChanged');
  });

  it('ends sessions in every process', async () => {
    const owner = await account();
    expect((await jobs.client.get('/v1/auth/me', { token: owner.token })).status).toBe(200);
    await requests.reset(await linkFor(owner), NEW_PASSWORD);
    const statusThere = async () => (await jobs.client.get('/v1/auth/me', { token: owner.token })).status;
    await until(async () => ((await statusThere()) === 401 ? true : null));
  });

  it('is requested by the address in any case, with an empty response', async () => {
    const owner = await account();
    expect(await requests.askReset(` ${owner.email.toUpperCase()} `)).toMatchObject({ status: 202, body: '' });
    await mailbox.token(owner.email, 'reset');
  });

  it('is set for an account that had none', async () => {
    const owner = await account();
    const row = { _id: new ObjectId(owner.id) };
    await app.db.collection('credentials').updateOne(row, { $set: { passwordHash: null } });
    expect(await loginStatus(owner, TEST_PASSWORD)).toBe(401);
    await requests.reset(await linkFor(owner), NEW_PASSWORD);
    expect(await loginStatus(owner, NEW_PASSWORD)).toBe(200);
  });

  it('leaves no session to a thief with the old password, also with concurrent requests', async () => {
    for (let round = 0; round < 10; round++) {
      const { token, ...owner } = await account();
      const link = await linkFor(owner);
      const body = { password: TEST_PASSWORD };
      const asks = [
        () => app.patient.post('/v1/auth/tokens', { token, body: { ...body, name: 'a thief', scopes: ['read'] } }),
        () => app.patient.put('/v1/auth/email', { token, body: { ...body, email: anAddress() } }),
      ];
      const asked = Array.from({ length: 6 }, (_, index) => asks[index % asks.length]!());
      const reset = requests.reset(link, NEW_PASSWORD);
      const late = asks.map((ask) => ask());
      expect((await reset).status).toBe(204);
      for (const { status } of await Promise.all([...asked, ...late])) expect([201, 202, 401]).toContain(status);
      const userId = new ObjectId(owner.id);
      expect(await app.db.collection('api_tokens').find({ userId }).toArray()).toEqual([]);
      expect(await app.db.collection('one_time_tokens').find({ userId }).toArray()).toEqual([]);
    }
  });

  it('is set once by a link, also by concurrent requests', async () => {
    const owner = await account();
    const token = await linkFor(owner);
    const passwords = [NEW_PASSWORD, SECOND_PASSWORD];
    const answers = await Promise.all(passwords.map((password) => requests.reset(token, password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
    const taken = answers.findIndex(({ status }) => status === 204);
    expect(await loginStatus(owner, passwords[taken]!)).toBe(200);
    expect(await loginStatus(owner, passwords[1 - taken]!)).toBe(401);
    await expectRefused(token);
  });

  it('leaves no session of the old one, not even a concurrent one', async () => {
    const owner = await account();
    const token = await linkFor(owner);
    const coming = Array.from({ length: 8 }, () => requests.login(owner.username, TEST_PASSWORD));
    const [reset, ...logins] = await Promise.all([requests.reset(token, NEW_PASSWORD), ...coming]);
    expect(reset.status).toBe(204);
    for (const { status, body } of logins) {
      if (status === 200) expect((await requests.me({ token: body.accessToken })).status).toBe(401);
      else expect([status, body.code]).toEqual([401, 'invalid_credentials']);
    }
  });

  it('is set by any of several links, and by none after it was set or changed', async () => {
    const owner = await account();
    const [first, second] = [await linkFor(owner), await linkFor(owner)];
    expect((await requests.reset(first, NEW_PASSWORD)).status).toBe(204);
    await expectRefused(second);
    const third = await linkFor(owner);
    const { accessToken } = (await requests.login(owner.username, NEW_PASSWORD)).body;
    const body = { currentPassword: NEW_PASSWORD, newPassword: SECOND_PASSWORD };
    expect((await app.client.put('/v1/auth/password', { token: accessToken, body })).status).toBe(204);
    await expectRefused(third);
    expect(await loginStatus(owner, SECOND_PASSWORD)).toBe(200);
  });

  it('can be requested even if strangers have triggered many other mails to the address', async () => {
    const [owner, stranger] = [await account(), await account()];
    for (let at = 0; at < MAILS_PER_HOUR; at++)
      expect((await requests.changeEmail(stranger, owner.email, TEST_PASSWORD)).status).toBe(202);
    for (let at = 0; at < MAILS_PER_HOUR; at++) await mailbox.next(owner.email, 'taken');
    expect((await requests.reset(await linkFor(owner), NEW_PASSWORD)).status).toBe(204);
  });

  it('is set by a link for as long as strangers can keep the owner from a new link', async () => {
    const owner = await account();
    const token = await linkFor(owner);
    shiftClock(59 * 60_000);
    const { status } = await requests.reset(token, NEW_PASSWORD);
    mendClock();
    expect(status).toBe(204);
  });

  it('is not set by an expired link, one of another kind, or one of a deleted account', async () => {
    const [late, other, ended] = [await account(), await account(), await account()];
    const expired = await linkFor(late);
    const past = { $set: { expiresAt: new Date(Date.now() - 1_000) } };
    await app.db.collection('one_time_tokens').updateMany({ userId: new ObjectId(late.id) }, past);
    await expectRefused(expired);
    await expectRefused(await mailbox.token(other.email, 'confirm'));
    const orphan = await linkFor(ended);
    await app.client.delete('/v1/users/me', { token: ended.token, body: { password: TEST_PASSWORD } });
    await expectRefused(orphan);
    await expectRefused('x'.repeat(43));
  });

  it('does not use up a link when the input is invalid', async () => {
    const owner = await account();
    const token = await linkFor(owner);
    expect((await requests.reset(token, 'short')).body.code).toBe('invalid_input');
    expect((await requests.reset(token, NEW_PASSWORD)).status).toBe(204);
  });

  it('has the same response for an unknown address, which gets no mail', async () => {
    const owner = await account();
    const unknown = anAddress();
    const began = new Date();
    const seen = async (email: string) => {
      let answer;
      const commands = await commandsOf(app, async () => (answer = await requests.askReset(email)));
      return { commands, ...(answer as unknown as { status: number; body: string }) };
    };
    const [known, nobody] = [await seen(owner.email), await seen(unknown)];
    expect(known.commands).toEqual(['update tasks', 'commitTransaction 1']);
    expect([nobody.commands, nobody.status, nobody.body]).toEqual([known.commands, known.status, known.body]);
    await mailbox.token(owner.email, 'reset');
    const waiting = () =>
      app.db
        .collection('tasks')
        .countDocuments({ topic: { $in: ['password-reset.asked', 'mail'] }, dueAt: { $gte: began } });
    await until(async () => ((await waiting()) === 0 ? true : null));
    expect(smtp.to(unknown)).toEqual([]);
  });

  it('leaves no address to read while it waits', async () => {
    const { email } = await account();
    const { client } = app.app.get(MongoService);
    const rows: Buffer[] = [];
    const started = ({ command }: CommandStartedEvent): void => {
      if (command['update'] === 'tasks') rows.push(Buffer.from(BSON.serialize({ rows: command['updates'] })));
    };
    client.on('commandStarted', started);
    await requests.askReset(email);
    client.off('commandStarted', started);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.includes('password-reset.asked')).toBe(true);
    expect(rows[0]!.includes(email)).toBe(false);
  });

  it('is announced in mails without text or markup from users', async () => {
    const name = '<img src=x onerror=alert(1)>"&Win $1000';
    const { email } = await app.world.person({ overHttp: true, fullName: name });
    const site = "https://site.example/a&b='c'";
    const config = new AppConfig(ENV_SCHEMA.parse(testEnvironment({ PUBLIC_SITE_URL: site })));
    const odd = new AccountMails(app.app.get(MailService), config);
    await app.app.get(MongoService).transaction((tx) => odd.send('passwordReset', email, tx, 'T'.repeat(43)));
    const mails = [await mailbox.next(email, 'confirm'), await mailbox.next(email, 'reset')];
    for (const { source } of mails) {
      const html = source.slice(source.indexOf('<!doctype html>')).replace(/=\r?\n/g, '');
      for (const [, tag] of html.matchAll(/<\/?([a-z!]+)/gi))
        expect(['!doctype', 'html', 'body', 'p', 'a']).toContain(tag);
      for (const word of ['img', 'onerror', 'Win', '1000']) expect(source).not.toContain(word);
    }
    expect(textOf(mails[1]!)).toContain(`${site}/reset-password#token=TTT`);
    expect(mails[1]!.source).toContain('a&#38;b');
    expect(mails[1]!.source).toContain('&#39;c');
  });

  it('links to a page of this server if there is no site', async () => {
    const { email } = await account();
    const plain = new AccountMails(
      app.app.get(MailService),
      new AppConfig(ENV_SCHEMA.parse(testEnvironment({ SITE: 'off' }))),
    );
    await app.app.get(MongoService).transaction((tx) => plain.send('passwordReset', email, tx, 'T'.repeat(43)));
    const text = textOf(await mailbox.next(email, 'reset'));
    expect(text).toContain(`\nhttp://localhost:0/reset-password#token=${'T'.repeat(43)}\n`);
  });
});
