import { type CommandStartedEvent, ObjectId } from 'mongodb';
import { LoginThrottle } from '../../src/auth/login-throttle.js';
import { queuedMails } from '../support/mails.js';
import { useApp } from '../support/app.js';
import { signUp, type TestAccount } from '../support/accounts.js';
import { addApp, codeOf } from '../support/authenticator-app.js';
import type { Answer } from '../support/client.js';
import { whileListening } from '../support/commands.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import { mendClock, shiftClock } from '../support/shifted-clock.js';

const NO_CODE = '000000';
const STEP_MS = 30_000;
/** Offset of a test's time step from the real time. */
let startsInMs = 0;

describe('an authenticator app', () => {
  const app = useApp();
  const { world } = app;
  beforeEach(beginStep);
  afterEach(mendClock);

  const logIn = ({ username, password }: TestAccount): Promise<Answer> =>
    app.patient.post('/v1/auth/login', { body: { login: username, password } });
  const mfaTokenOf = async (account: TestAccount): Promise<string> => (await logIn(account)).body.mfaToken;
  const second = (body: object): Promise<Answer> => app.client.post('/v1/auth/login/second-factor', { body });
  const secondStatus = async (account: TestAccount, proof: object): Promise<number> =>
    (await second({ mfaToken: await mfaTokenOf(account), ...proof })).status;
  const row = ({ id }: TestAccount) => app.db.collection('second_factors').findOne({ _id: new ObjectId(id) });
  async function mailsTo({ email }: TestAccount): Promise<string[]> {
    return (await queuedMails(app)).filter(({ to }) => to === email).map(({ subject }) => subject);
  }

  it('is required only after a correct code has confirmed that the app has the secret', async () => {
    const account = await world.person({ overHttp: true });
    const { token, password } = account;
    expect((await app.client.post('/v1/auth/totp', { token, body: { password: 'wrong one' } })).status).toBe(401);
    const { status, body } = await app.client.post('/v1/auth/totp', { token, body: { password } });
    expect([status, body.otpauthUrl]).toEqual([
      201,
      expect.stringContaining(`:${account.username}?secret=${body.secret}&`),
    ]);
    const wrong = await app.client.put('/v1/auth/totp', { token, body: { code: NO_CODE } });
    expectProblem(wrong, 400, 'invalid_code');
    expect((await logIn(account)).status).toBe(200);
    const right = await app.client.put('/v1/auth/totp', { token, body: { code: codeOf(body.secret) } });
    expect([right.status, right.body.recoveryCodes.length]).toEqual([200, 10]);
    expect((await logIn(account)).status).toBe(401);
    expect(await mailsTo(account)).toContain('Two-factor authentication was turned on');
  });

  it('is not half enabled: a secret is valid for ten minutes, and only the latest one', async () => {
    const { token, password } = await world.person({ overHttp: true });
    const begin = async (): Promise<string> =>
      (await app.client.post('/v1/auth/totp', { token, body: { password } })).body.secret;
    const enable = (code: string) => app.client.put('/v1/auth/totp', { token, body: { code } });
    expect((await enable(NO_CODE)).body.code).toBe('second_factor_off');
    const [first, latest] = [await begin(), await begin()];
    expect((await enable(codeOf(first))).body.code).toBe('invalid_code');
    shiftClock(startsInMs + 601_000);
    expect((await enable(codeOf(latest))).body.code).toBe('second_factor_off');
    shiftClock(startsInMs);
    expect((await enable(codeOf(latest))).status).toBe(200);
    expect((await enable(codeOf(latest))).body.code).toBe('second_factor_on');
    expect((await app.client.post('/v1/auth/totp', { token, body: { password } })).body.code).toBe('second_factor_on');
  });

  it('is the second request of a sign-in', async () => {
    const account = await world.person({ overHttp: true });
    const { secret } = await addApp(app.client, account);
    const first = await logIn(account);
    expect([first.status, first.body.code, first.body.mfaToken]).toEqual([
      401,
      'second_factor_required',
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    const { mfaToken } = first.body;
    expect((await second({ mfaToken, code: NO_CODE })).body.code).toBe('invalid_code');
    expect((await second({ mfaToken })).body.code).toBe('invalid_code');
    const signedIn = await second({ mfaToken, code: codeOf(secret) });
    expect([signedIn.status, signedIn.body.user.id]).toEqual([200, account.id]);
    const again = await second({ mfaToken, code: codeOf(secret, 1) });
    expectProblem(again, 401, 'invalid_mfa_token');
  });

  it('accepts a code as apps show it, with a space in the middle', async () => {
    const account = await world.person({ overHttp: true });
    const { secret } = await addApp(app.client, account);
    const spaced = codeOf(secret).replace(/^.../, '$& ');
    expect(await secondStatus(account, { code: spaced })).toBe(200);
  });

  it('accepts a code once, and none of an earlier step', async () => {
    const account = await world.person({ overHttp: true });
    const { secret } = await addApp(app.client, account);
    expect(await secondStatus(account, { code: codeOf(secret) })).toBe(200);
    expect(await secondStatus(account, { code: codeOf(secret) })).toBe(400);
    expect(await secondStatus(account, { code: codeOf(secret, -1) })).toBe(400);
    expect(await secondStatus(account, { code: codeOf(secret, 1) })).toBe(200);
  });

  it.each([
    [-2, 400],
    [-1, 200],
    [1, 200],
    [2, 400],
  ])('of a clock that is %i steps off is answered %i', async (steps, status) => {
    const account = await world.person({ overHttp: true });
    const { secret } = await addApp(app.client, account);
    const code = codeOf(secret, 10 + steps);
    shiftClock(startsInMs + 10 * STEP_MS);
    expect(await secondStatus(account, { code })).toBe(status);
  });

  it('signs in one of several concurrent requests with one code, or one recovery code', async () => {
    const account = await world.person({ overHttp: true });
    const { secret, recoveryCodes } = await addApp(app.client, account);
    for (const proof of [{ code: codeOf(secret) }, { recoveryCode: recoveryCodes[0]! }]) {
      const tokens = [await mfaTokenOf(account), await mfaTokenOf(account), await mfaTokenOf(account)];
      const answers = await Promise.all(tokens.map((mfaToken) => second({ mfaToken, ...proof })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    }
    const mfaToken = await mfaTokenOf(account);
    const proofs = [recoveryCodes[1]!, recoveryCodes[2]!].map((recoveryCode) => ({ mfaToken, recoveryCode }));
    const answers = await Promise.all(proofs.map(second));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    // Unused recovery codes stay valid.
    expect((await row(account))!['recovery']).toHaveLength(8);
  });

  it('can be replaced by recovery codes: each works once and sends a mail, and new ones revoke earlier ones', async () => {
    const account = await world.person({ overHttp: true });
    const { secret, recoveryCodes } = await addApp(app.client, account);
    const [one, other] = recoveryCodes as [string, string];
    expect(await secondStatus(account, { recoveryCode: one.toUpperCase().replaceAll('-', ' ') })).toBe(200);
    expect(await secondStatus(account, { recoveryCode: one })).toBe(400);
    expect(await mailsTo(account)).toContain('A recovery code of your account was used');
    const { token, password } = account;
    const path = '/v1/auth/totp/recovery-codes';
    expect((await app.client.post(path, { token, body: { password } })).body.code).toBe('invalid_code');
    const made = await app.client.post(path, { token, body: { password, code: codeOf(secret) } });
    expect(made.status).toBe(200);
    expect(await secondStatus(account, { recoveryCode: other })).toBe(400);
    expect(await secondStatus(account, { recoveryCode: made.body.recoveryCodes[0] })).toBe(200);
  });

  it('is switched off by the password and a code, and not by one of them', async () => {
    const account = await world.person({ overHttp: true });
    const { secret, recoveryCodes } = await addApp(app.client, account);
    const { token, password } = account;
    const off = (body: object) => app.client.delete('/v1/auth/totp', { token, body });
    expect((await off({ password })).body.code).toBe('invalid_code');
    expect((await off({ password, code: NO_CODE })).body.code).toBe('invalid_code');
    expect((await off({ password: 'wrong one', code: codeOf(secret) })).body.code).toBe('invalid_credentials');
    expect((await logIn(account)).status).toBe(401);
    expect((await off({ password, recoveryCode: recoveryCodes[9] })).status).toBe(204);
    expect((await logIn(account)).status).toBe(200);
    expect(await mailsTo(account)).toContain('Two-factor authentication was turned off');
    expect((await off({ password, code: codeOf(secret) })).body.code).toBe('second_factor_off');
  });

  it('stays on after a change of the password, which revokes sign-ins started with the old one', async () => {
    const account = await world.person({ overHttp: true });
    const { secret } = await addApp(app.client, account);
    const mfaToken = await mfaTokenOf(account);
    const { token, password } = account;
    const changed = { ...account, password: 'difference engine no. 2' };
    await app.client.put('/v1/auth/password', {
      token,
      body: { currentPassword: password, newPassword: changed.password },
    });
    expect((await second({ mfaToken, code: codeOf(secret) })).body.code).toBe('invalid_mfa_token');
    expect(await secondStatus(changed, { code: codeOf(secret) })).toBe(200);
  });

  it('accepts five wrong codes with one token, also concurrently, and sends its owner a mail', async () => {
    const account = await world.person({ overHttp: true });
    const { secret } = await addApp(app.client, account);
    const mfaToken = await mfaTokenOf(account);
    const wrong = await Promise.all(Array.from({ length: 12 }, () => second({ mfaToken, code: NO_CODE })));
    const codes = wrong.map(({ body }) => body.code as string);
    expect(codes.filter((code) => code === 'invalid_code')).toHaveLength(5);
    expect(codes.filter((code) => code === 'invalid_mfa_token')).toHaveLength(7);
    expect((await second({ mfaToken, code: codeOf(secret) })).body.code).toBe('invalid_mfa_token');
    expect(await mailsTo(account)).toContain('Someone knows your password');
    expect(await secondStatus(account, { code: codeOf(secret) })).toBe(200);
  });

  it('has no token for long', async () => {
    const account = await world.person({ overHttp: true });
    const { secret } = await addApp(app.client, account);
    const mfaToken = await mfaTokenOf(account);
    shiftClock(startsInMs + 301_000);
    expect((await second({ mfaToken, code: codeOf(secret) })).body.code).toBe('invalid_mfa_token');
  });

  it('stores nothing that a reader of the database could use', async () => {
    const account = await world.person({ overHttp: true });
    const { secret, recoveryCodes } = await addApp(app.client, account);
    const mfaToken = await mfaTokenOf(account);
    const bytes = await bytesOfEverything();
    const forbidden = [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', '')), mfaToken];
    const raw = Buffer.from(
      [...secret]
        .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter))
        .map((n) => n.toString(2).padStart(5, '0'))
        .join('')
        .match(/.{8}/g)!
        .map((byte) => parseInt(byte, 2)),
    );
    forbidden.push(raw.toString('hex'), raw.toString('base64'));
    expect(forbidden.filter((value) => bytes.includes(value))).toEqual([]);
    // Proves that the search finds existing values.
    expect(bytes).toContain(account.username);
  });

  it('is forgotten with the account', async () => {
    const account = await world.person({ overHttp: true });
    await addApp(app.client, account);
    const { token, password } = account;
    expect(await row(account)).not.toBeNull();
    expect((await app.client.delete('/v1/users/me', { token, body: { password } })).status).toBe(204);
    expect(await row(account)).toBeNull();
  });

  it('costs a sign-in without one a single read, by primary key', async () => {
    const account = await world.person({ overHttp: true });
    const asked: string[] = [];
    const onCommand = ({ command }: CommandStartedEvent): void => {
      if (command['find'] === 'second_factors' || command['update'] === 'second_factors')
        asked.push(JSON.stringify(command['filter']));
    };
    let plans: Awaited<ReturnType<typeof plansOf>> = [];
    await whileListening(app, onCommand, async () => {
      plans = await plansOf(app, async () => expect((await logIn(account)).status).toBe(200));
    });
    expect(asked).toHaveLength(1);
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toMatch(/^(IXSCAN|IDHACK|EOF|EXPRESS)/);
      // The limit check reads two sessions: the first one and this one.
      expect(docsExamined).toBeLessThanOrEqual(plan.includes('"createdAt":-1') ? 2 : Math.max(1, nReturned));
    }
  });

  /** Returns all data as text: strings unchanged, bytes as hex and as base64. */
  async function bytesOfEverything(): Promise<string> {
    const parts: string[] = [];
    for (const { name } of await app.db.listCollections().toArray()) {
      const rows = await app.db.collection(name).find().toArray();
      parts.push(
        JSON.stringify(rows, (_, value: unknown) => {
          const bytes = (value as { buffer?: Uint8Array } | null)?.buffer;
          if (!(bytes instanceof Uint8Array)) return value;
          const buffer = Buffer.from(bytes);
          return [buffer.toString('hex'), buffer.toString('base64'), buffer.toString('latin1')];
        }),
      );
    }
    return parts.join('\n');
  }
});

describe('guessing codes', () => {
  const app = useApp({
    env: {
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
      RATE_LIMIT_WRITES_PER_MINUTE: '1000000',
      HTTP_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const HOME = '10.9.9.9';
  let now = Date.now();
  beforeAll(() => {
    for (const { failures } of app.everyOf(LoginThrottle)) failures.now = () => new Date(now);
  });
  beforeEach(beginStep);
  afterEach(mendClock);

  const post = (path: string, body: object, address: string): Promise<Answer> =>
    app.client.post(path, { body, headers: { 'x-forwarded-for': address } });

  it('is slow with the correct password, from any number of networks, and the owner can still sign in', async () => {
    const account = await signUp({
      ...app.client,
      post: (path, options) => app.client.post(path, { ...options, headers: { 'x-forwarded-for': HOME } }),
    });
    const { secret } = await addApp(app.client, account);
    const { username: login, password } = account;
    const start = now;
    const judgedAt: number[] = [];
    for (let guess = 0; judgedAt.length < 15; guess++) {
      const address = `10.8.${guess % 50}.1`;
      // A correct password does not reset the failures of codes.
      const { status, body } = await post('/v1/auth/login', { login, password }, address);
      expect([status, body.code]).toEqual([401, 'second_factor_required']);
      const answer = await post('/v1/auth/login/second-factor', { mfaToken: body.mfaToken, code: NO_CODE }, address);
      if (answer.status === 400) judgedAt.push(now);
      else {
        expect(answer.status).toBe(429);
        now += Number(answer.headers.get('retry-after')) * 1_000;
      }
    }
    // After the first guesses, one guess a minute is checked.
    expect(judgedAt[14]! - judgedAt[9]!).toBeGreaterThanOrEqual(5 * 60_000);
    expect(judgedAt[14]! - start).toBeGreaterThanOrEqual(6 * 60_000);
    const { mfaToken } = (await post('/v1/auth/login', { login, password }, HOME)).body;
    const code = codeOf(secret);
    expect((await post('/v1/auth/login/second-factor', { mfaToken, code }, '10.7.7.7')).status).toBe(429);
    expect((await post('/v1/auth/login/second-factor', { mfaToken, code }, HOME)).status).toBe(200);
  });
});

/** Starts a new time step, so that the codes of a test belong to one step. */
function beginStep(): void {
  startsInMs = STEP_MS - (Date.now() % STEP_MS);
  shiftClock(startsInMs);
}
