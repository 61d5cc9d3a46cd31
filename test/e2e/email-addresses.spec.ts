import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { CredentialsService } from '../../src/auth/credentials.service.js';
import { MAILS_PER_HOUR } from '../../src/platform/mail/mail-counts.js';
import { startApp, type TestApp } from '../support/app.js';
import { AccountRequests, Mailbox, SITE } from '../support/account-mails.js';
import { type TestAccount, TEST_PASSWORD } from '../support/accounts.js';
import { commandsOf } from '../support/commands.js';
import { mailTasks } from '../support/mails.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import { anAddress, TestSmtp } from '../support/smtp.js';
import { until } from '../support/until.js';

const THIEFS_PASSWORD = 'horse correct battery';
const NEW_PASSWORD = 'battery staple correct';

describe('e-mail addresses', () => {
  const smtp = new TestSmtp();
  const mailbox = new Mailbox(smtp);
  /** Sends the mails. */
  let jobs: TestApp;
  /** Serves the requests, like a second process. */
  let app: TestApp;
  let requests: AccountRequests;

  beforeAll(async () => {
    const settings = { SMTP_URL: await smtp.start(), PUBLIC_SITE_URL: SITE };
    jobs = await startApp({ env: settings, role: 'all' });
    app = await startApp({ beside: jobs, env: settings });
    requests = new AccountRequests(app);
  });
  afterAll(async () => {
    await app.close();
    await jobs.close();
    await smtp.stop();
  });

  const verified = async (email?: string): Promise<TestAccount> => {
    const account = await app.world.person({ overHttp: true, ...(email === undefined ? {} : { email }) });
    expect((await requests.confirm(await mailbox.token(account.email, 'confirm'))).status).toBe(204);
    return account;
  };
  /** Changes the address of the account; returns the new one, and the token to undo the change. */
  const moved = async (account: TestAccount): Promise<{ email: string; undo: string }> => {
    const email = anAddress();
    expect((await requests.changeEmail(account, email, TEST_PASSWORD)).status).toBe(202);
    expect((await requests.confirm(await mailbox.token(email, 'confirm'))).status).toBe(204);
    return { email, undo: await mailbox.token(account.email, 'emailChanged') };
  };
  const addressOf = async (account: { token: string }): Promise<[string, boolean]> => {
    const { body } = await requests.me(account);
    return [body.email, body.isEmailVerified];
  };
  const register = async (email: string) => {
    const username = `r${randomBytes(5).toString('hex')}`;
    const body = { username, email, password: TEST_PASSWORD, fullName: 'Another' };
    return app.patient.post('/v1/auth/register', { body });
  };
  const rowOf = ({ id }: TestAccount) => ({ _id: new ObjectId(id) });
  const expectRefused = async (answer: Promise<{ status: number; body: { code: string } }>): Promise<void> => {
    const { status, body } = await answer;
    expect([status, body.code]).toEqual([400, 'invalid_email_token']);
  };

  describe('are verified', () => {
    it('by the mail that a new account gets, once, without signing in', async () => {
      const account = await app.world.person({ overHttp: true });
      expect(await addressOf(account)).toEqual([account.email, false]);
      const token = await mailbox.token(account.email, 'confirm');
      expect(await requests.confirm(token)).toMatchObject({ status: 204, body: '' });
      expect(await addressOf(account)).toEqual([account.email, true]);
      await expectRefused(requests.confirm(token));
    });

    it('by another mail, which a verified account does not get', async () => {
      const account = await app.world.person({ overHttp: true });
      await mailbox.next(account.email, 'confirm');
      expect(await requests.askVerification(account)).toMatchObject({ status: 202, body: '' });
      expect((await requests.confirm(await mailbox.token(account.email, 'confirm'))).status).toBe(204);
      expect((await requests.askVerification(account)).status).toBe(202);
      const sent = await app.db.collection('one_time_tokens').countDocuments({ userId: new ObjectId(account.id) });
      // Only the unused token of the first mail remains.
      expect(sent).toBe(1);
    });

    it('only by a valid token: not a used, expired, foreign or invented one', async () => {
      const account = await app.world.person({ overHttp: true });
      const late = await mailbox.token(account.email, 'confirm');
      const past = { $set: { expiresAt: new Date(Date.now() - 1_000) } };
      await app.db.collection('one_time_tokens').updateMany({ userId: new ObjectId(account.id) }, past);
      await requests.askReset(account.email);
      for (const token of [late, await mailbox.token(account.email, 'reset'), 'x'.repeat(43)]) {
        await expectRefused(requests.confirm(token));
        await expectRefused(requests.undo(token));
      }
      expect(await addressOf(account)).toEqual([account.email, false]);
    });
  });

  describe('have one spelling', () => {
    const name = randomBytes(6).toString('hex');
    const email = `${name}@b\u00fccher-ex.example`;

    beforeAll(async () => {
      expect((await register(email)).status).toBe(201);
    });

    it.each([
      `${name.toUpperCase()}@B\u00dcCHER-EX.example`,
      `${name}@bu\u0308cher-ex.example`,
      `${name}@xn--bcher-ex-65a.example`,
      ` ${name}@b\u00fccher-ex.example `,
    ])('%j is taken', async (spelling) => {
      expect((await register(spelling)).body.code).toBe('email_taken');
      expect((await requests.login(spelling, TEST_PASSWORD)).status).toBe(200);
    });

    it.each(['\u200b', '\u00ad', '\u2060', '\ufeff', '\u0000'])('%j in one is refused', async (sign) => {
      for (const spelling of [`v@ex-${sign}ample.org`, `v${sign}v@example.org`]) {
        const { status, body } = await register(spelling);
        expect([status, body.errors[0].field]).toEqual([400, 'email']);
      }
    });

    it('get five mails an hour for all tags of one mailbox', async () => {
      const account = await app.world.person({ overHttp: true });
      const mailboxName = randomBytes(6).toString('hex');
      const spellings = Array.from({ length: MAILS_PER_HOUR + 3 }, (_, index) => `${mailboxName}+${index}@example.org`);
      for (const spelling of spellings)
        expect((await requests.changeEmail(account, spelling, TEST_PASSWORD)).status).toBe(202);
      await until(async () => ((await mailTasks(app).countDocuments({ topic: 'mail' })) === 0 ? true : null));
      const got = spellings.filter((spelling) => smtp.to(spelling).length > 0);
      expect(got).toHaveLength(MAILS_PER_HOUR);
    });
  });

  describe('are changed', () => {
    it('when the new address confirms; the old one gets a mail and stays reserved', async () => {
      const account = await verified();
      const email = anAddress();
      expect(await requests.changeEmail(account, email, TEST_PASSWORD)).toMatchObject({ status: 202, body: '' });
      const token = await mailbox.token(email, 'confirm');
      expect(await addressOf(account)).toEqual([account.email, true]);
      expect((await requests.confirm(token)).status).toBe(204);
      expect(await addressOf(account)).toEqual([email, true]);
      await mailbox.token(account.email, 'emailChanged');
      expect((await requests.login(email, TEST_PASSWORD)).status).toBe(200);
      expect((await requests.login(account.email, TEST_PASSWORD)).status).toBe(401);
      expect((await register(account.email)).body.code).toBe('email_taken');
      await expectRefused(requests.confirm(token));
    });

    it('not with a wrong password, or without a session', async () => {
      const account = await verified();
      const wrong = await requests.changeEmail(account, anAddress(), 'not the password');
      expect([wrong.status, wrong.body.code, wrong.body.errors[0].field]).toEqual([
        401,
        'invalid_credentials',
        'password',
      ]);
      const anonymous = { body: { email: anAddress(), password: TEST_PASSWORD } };
      expect((await app.client.put('/v1/auth/email', anonymous)).status).toBe(401);
    });

    it('not a second time before the first can no longer be undone', async () => {
      const account = await verified();
      const pending = anAddress();
      await requests.changeEmail(account, pending, TEST_PASSWORD);
      const other = await mailbox.token(pending, 'confirm');
      const { email, undo } = await moved(account);
      const again = await requests.changeEmail(account, anAddress(), TEST_PASSWORD);
      expectProblem(again, 409, 'email_changed_lately');
      // Earlier mails to the new address are invalid.
      await expectRefused(requests.confirm(other));
      await app.db.collection('credentials').updateOne(rowOf(account), { $set: { heldUntil: new Date() } });
      expect((await register(account.email)).status).toBe(201);
      expect((await requests.changeEmail(account, anAddress(), TEST_PASSWORD)).status).toBe(202);
      // Simulates a token that outlasts the reservation of the address.
      expect((await requests.undo(undo)).body.code).toBe('email_taken');
      expect(await addressOf(account)).toEqual([email, true]);
    });

    it('without an undo link if the old one was unverified, because a stranger may read it', async () => {
      const account = await app.world.person({ overHttp: true });
      const email = anAddress();
      await requests.changeEmail(account, email, TEST_PASSWORD);
      await requests.confirm(await mailbox.token(email, 'confirm'));
      const { source } = await mailbox.next(account.email, 'emailChanged');
      expect(source).not.toContain('token=');
      expect((await register(account.email)).status).toBe(201);
    });

    it('with the same response whether or not another account has the new one, whose owner gets a mail', async () => {
      const [account, owner, other] = [await verified(), await verified(), await verified()];
      const held = owner.email;
      const { email: taken } = await moved(owner);
      const seen = async (email: string) => {
        let answer;
        const commands = await commandsOf(app, async () => {
          answer = await requests.changeEmail(account, email, TEST_PASSWORD);
        });
        const { status, body } = answer as unknown as { status: number; body: string };
        return { commands, status, body };
      };
      const free = await seen(anAddress());
      expect(free).toMatchObject({ status: 202, body: '' });
      expect(free.commands).toContain('commitTransaction 1');
      for (const email of [taken, held, other.email]) expect(await seen(email)).toEqual(free);
      for (const email of [taken, held]) expect((await mailbox.next(email, 'taken')).source).not.toContain('token=');
      expect(await addressOf(account)).toEqual([account.email, true]);
    });

    it('by one of two accounts that confirm the same one concurrently, and not while it is registered', async () => {
      const accounts = [await verified(), await verified()];
      const email = anAddress();
      const tokens: string[] = [];
      for (const account of accounts) {
        await requests.changeEmail(account, email, TEST_PASSWORD);
        tokens.push(await mailbox.token(email, 'confirm'));
      }
      const registering = register(email);
      const answers = [...(await Promise.all(tokens.map(requests.confirm))), await registering];
      const codes = answers.map(({ status, body }) => (status < 300 ? 'done' : (body.code as string))).sort();
      expect(codes).toEqual(['done', 'email_taken', 'email_taken']);
      expect(await app.db.collection('credentials').countDocuments({ email })).toBe(1);
    });

    it('without a moment in which another account can get the old one', async () => {
      const account = await verified();
      const email = anAddress();
      await requests.changeEmail(account, email, TEST_PASSWORD);
      const token = await mailbox.token(email, 'confirm');
      const coming = Array.from({ length: 6 }, () => register(account.email));
      const [confirmed, ...registered] = await Promise.all([requests.confirm(token), ...coming]);
      expect(confirmed.status).toBe(204);
      expect(new Set(registered.map(({ body }) => body.code))).toEqual(new Set(['email_taken']));
    });
  });

  describe('are restored', () => {
    it('from a thief, also after a change of the password, with all ways to sign in that the thief added', async () => {
      const owner = await verified();
      const thief = {
        ...owner,
        token: (await requests.login(owner.username, TEST_PASSWORD)).body.accessToken as string,
      };
      const { email: thiefs, undo } = await moved(thief);
      const body = { currentPassword: TEST_PASSWORD, newPassword: THIEFS_PASSWORD };
      expect((await app.client.put('/v1/auth/password', { token: thief.token, body })).status).toBe(204);
      await requests.askReset(thiefs);
      const thiefsLink = await mailbox.token(thiefs, 'reset');
      expect((await requests.reset(thiefsLink, THIEFS_PASSWORD)).status).toBe(204);
      const signedIn = (await requests.login(thiefs, THIEFS_PASSWORD)).body;
      await requests.askReset(thiefs);
      const second = await mailbox.token(thiefs, 'reset');

      expect(await requests.undo(undo)).toMatchObject({ status: 204, body: '' });
      const ended = { token: signedIn.accessToken, refreshToken: signedIn.refreshToken };
      expect([(await requests.me(ended)).status, (await requests.refresh(ended)).status]).toEqual([401, 401]);
      for (const login of [thiefs, owner.email, owner.username])
        expect((await requests.login(login, THIEFS_PASSWORD)).status).toBe(401);
      expect((await requests.reset(second, THIEFS_PASSWORD)).body.code).toBe('invalid_reset_token');
      await expectRefused(requests.undo(undo));
      const token = await mailbox.token(owner.email, 'takenBack');
      expect((await requests.reset(token, NEW_PASSWORD)).status).toBe(204);
      const back = (await requests.login(owner.email, NEW_PASSWORD)).body;
      expect([back.user.id, back.user.email, back.user.isEmailVerified]).toEqual([owner.id, owner.email, true]);
      // No address is reserved any longer.
      expect((await register(thiefs)).status).toBe(201);
    });

    it('by mails that arrive immediately, even if others have triggered many mails to the address', async () => {
      const [owner, stranger] = [await verified(), await app.world.person({ overHttp: true })];
      const signIn = async () => (await requests.login(owner.username, TEST_PASSWORD)).body.accessToken as string;
      const body = { currentPassword: TEST_PASSWORD, newPassword: TEST_PASSWORD };
      for (let at = 0; at < MAILS_PER_HOUR; at++) {
        expect((await app.client.put('/v1/auth/password', { token: await signIn(), body })).status).toBe(204);
        await mailbox.next(owner.email, 'passwordChanged');
      }
      const { undo } = await moved({ ...owner, token: await signIn() });
      for (let at = 0; at < 2 * MAILS_PER_HOUR; at++) await requests.changeEmail(stranger, owner.email, TEST_PASSWORD);
      for (let at = 0; at < MAILS_PER_HOUR; at++) await mailbox.next(owner.email, 'taken');
      expect((await requests.undo(undo)).status).toBe(204);
      expect((await requests.reset(await mailbox.token(owner.email, 'takenBack'), NEW_PASSWORD)).status).toBe(204);
    });

    it('by one of two concurrent requests', async () => {
      const { email, undo } = await moved(await verified());
      const answers = await Promise.all([requests.undo(undo), requests.undo(undo)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
      await mailbox.next(email, 'lost');
    });
  });

  it('are looked up by an index, reserved ones too', async () => {
    const account = await verified();
    await moved(account);
    const plans = await plansOf(app, async () => {
      await app.app.get(CredentialsService).isTaken(account.email, new ObjectId());
      await app.app.get(CredentialsService).findByEmail(account.email);
    });
    for (const { plan, docsExamined } of plans) {
      expect(plan).not.toContain('COLLSCAN');
      // Examines one row, once for its branch and once for its id.
      expect(docsExamined).toBeLessThanOrEqual(2);
    }
    expect(plans[0]!.plan).toContain('{"heldEmail":1}');
  });
});
