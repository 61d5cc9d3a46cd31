import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, ObjectId } from 'mongodb';
import { hash } from '@node-rs/argon2';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { TokenRevocations } from '../../src/auth/token-revocations.js';
import type { HashProcess } from '../../src/auth/hash-process.js';
import { PasswordHasher } from '../../src/auth/password-hasher.js';
import { startApp, useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import { RawClient } from '../support/raw-client.js';
import { until } from '../support/until.js';

const REGISTRATION = {
  username: 'Ada_Lovelace',
  email: ' Ada@Example.org',
  password: 'analytical engine',
  fullName: '  Ada Lovelace ',
};

const app = useApp();
const { world } = app;

describe('register', () => {
  it('creates an account, signs in and names the profile', async () => {
    const answer = await app.client.post('/v1/auth/register', { body: REGISTRATION });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe('/v1/users/ada_lovelace');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toMatchObject({
      tokenType: 'Bearer',
      expiresIn: 900,
      user: {
        username: 'ada_lovelace',
        fullName: 'Ada Lovelace',
        email: 'ada@example.org',
        role: 'user',
        stats: { followersCount: 0, followingCount: 0, postsCount: 0, likesReceivedCount: 0 },
        settings: { language: 'en', personalised: true },
      },
    });
    const me = await app.client.get('/v1/auth/me', { token: answer.body.accessToken });
    expect(me.status).toBe(200);
    expect(me.body).toEqual(answer.body.user);
    expect((await app.client.get('/v1/users/ada_lovelace')).status).toBe(200);
  });

  it('stores the password as argon2id and the refresh token as its hash', async () => {
    const account = await world.person({ overHttp: true });
    const credential = (await app.db.collection('credentials').findOne({ _id: new ObjectId(account.id) }))!;
    expect(credential.passwordHash).toMatch(/^\$argon2id\$v=19\$m=8192,t=1,p=1\$/);
    const everything = JSON.stringify(await app.db.collection('sessions').find().toArray());
    expect(everything).not.toContain(account.refreshToken);
    expect(JSON.stringify(await app.db.collection('users').find().toArray())).not.toMatch(/@|argon2/);
  });

  it('responds with 409 for a taken name or address, in any case and width, and stores nothing', async () => {
    const account = await world.person({ overHttp: true });
    const count = () => app.db.collection('users').countDocuments();
    const before = await count();
    const name = await app.client.post('/v1/auth/register', {
      body: { ...REGISTRATION, username: account.username.toUpperCase(), email: 'other@example.org' },
    });
    expect([name.status, name.body.code, name.body.errors]).toEqual([
      409,
      'username_taken',
      [{ field: 'username', message: 'is taken' }],
    ]);
    const address = await app.client.post('/v1/auth/register', {
      body: { ...REGISTRATION, username: 'somebody_else', email: account.email.toUpperCase() },
    });
    expectProblem(address, 409, 'email_taken');
    const fullWidth = account.email.replace(/[!-~]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0));
    const wide = await app.client.post('/v1/auth/register', {
      body: { ...REGISTRATION, username: 'somebody_else', email: fullWidth },
    });
    expectProblem(wide, 409, 'email_taken');
    const { status } = await app.client.post('/v1/auth/login', {
      body: { login: fullWidth, password: account.password },
    });
    expect([status, await count()]).toEqual([200, before]);
    expect((await app.client.get('/v1/users/somebody_else')).status).toBe(404);
  });

  it('gives a contested name and address to exactly one request', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        app.patient.post('/v1/auth/register', {
          body: { ...REGISTRATION, username: 'race_name', email: `racer${index}@example.org` },
        }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await app.db.collection('credentials').countDocuments({ email: /^racer/ })).toBe(1);
  });

  it.each([
    ['a name under four characters', { username: 'abc' }, 'username'],
    ['a name over sixteen', { username: 'a'.repeat(17) }, 'username'],
    ['a name of digits only', { username: '12345' }, 'username'],
    ['a name with other characters', { username: 'ada.lovelace' }, 'username'],
    ['a reserved name', { username: 'Admin' }, 'username'],
    ['a number for a name', { username: 12345 }, 'username'],
    ['an operator for a name', { username: { $gt: '' } }, 'username'],
    ['an empty display name', { fullName: '   ' }, 'fullName'],
    ['a display name of 65 characters', { fullName: '字'.repeat(65) }, 'fullName'],
    ['a control character in a display name', { fullName: 'Ada\u0007' }, 'fullName'],
    ['a turned direction in a display name', { fullName: 'Ada\u202Eevil' }, 'fullName'],
    ['a short password', { password: 'seven c' }, 'password'],
    ['a long password', { password: 'x'.repeat(129) }, 'password'],
    ['a wrong address', { email: 'nobody' }, 'email'],
    ['a field of its own choice', { role: 'admin' }, 'role'],
    ['a counter', { stats: { followersCount: 1e6 } }, 'stats'],
    ['an id', { _id: '6650c3a2f1d2b3c4d5e6f708' }, '_id'],
  ])('refuses %s and names the field', async (_, change, field) => {
    const answer = await app.client.post('/v1/auth/register', { body: { ...REGISTRATION, ...change } });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  it.each(['Zoë', '李', 'Пётр Ильич', 'عمر الخيام', '👩‍🔬 Marie', '😀'.repeat(64)])(
    'takes the name %s',
    async (fullName) => {
      const account = await world.person({ overHttp: true, fullName });
      const profile = await app.client.get(`/v1/users/${account.username}`);
      expect(profile.body.fullName).toBe(fullName.normalize('NFC'));
    },
  );
});

describe('login', () => {
  const login = (login: unknown, password: unknown = TEST_PASSWORD) =>
    app.client.post('/v1/auth/login', { body: { login, password } });

  it('accepts the username or the address, in any case', async () => {
    const account = await world.person({ overHttp: true });
    for (const name of [account.username, account.username.toUpperCase(), account.email.toUpperCase()]) {
      const answer = await login(name);
      expect([answer.status, answer.body.user?.id]).toEqual([200, account.id]);
    }
  });

  it('gives the same error for a wrong password and for an unknown account', async () => {
    const account = await world.person({ overHttp: true });
    const answers = [
      await login(account.username, 'not the password'),
      await login(account.email, 'not the password'),
      await login('nobody_here', TEST_PASSWORD),
      await login('nobody@example.org', TEST_PASSWORD),
      await login(account.username, 'x'),
    ];
    const withoutRequestId = answers.map(({ status, body }) => ({ status, ...body, requestId: '' }));
    expect(withoutRequestId[0]).toMatchObject({ status: 401, code: 'invalid_credentials' });
    for (const answer of withoutRequestId) expect(answer).toEqual(withoutRequestId[0]);
    expect(answers[0]!.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each([[{ $gt: '' }], [['a']], [null], [7], ['']])('refuses %j for a name or password', async (value) => {
    expect((await login(value)).status).toBe(400);
    expect((await login('somebody', value)).status).toBe(400);
  });

  it('rehashes the password when the configured cost has changed', async () => {
    const account = await world.person({ overHttp: true });
    const old = await hash(TEST_PASSWORD, { memoryCost: 8192, timeCost: 3, parallelism: 1 });
    const filter = { _id: new ObjectId(account.id) };
    await app.db.collection('credentials').updateOne(filter, { $set: { passwordHash: old } });
    expect((await login(account.username)).status).toBe(200);
    const renewed = (await app.db.collection('credentials').findOne(filter))!;
    expect(renewed.passwordHash).toMatch(/\$m=8192,t=1,p=1\$/);
    expect((await login(account.username)).status).toBe(200);
  });

  it('finds accounts and sessions by their indexes, one row each', async () => {
    const account = await world.person({ overHttp: true });
    const plans = await plansOf(app, async () => {
      await login(account.email);
      await login(account.username);
      await app.client.post('/v1/auth/refresh', { body: { refreshToken: account.refreshToken } });
    });
    // The limit check reads the few active sessions.
    const ofSignIns = plans.filter(({ plan }) => plan.includes('"createdAt":-1'));
    expect(ofSignIns.map(({ docsExamined }) => docsExamined)).toEqual([3, 3]);
    const others = plans.filter((plan) => !ofSignIns.includes(plan));
    expect(others.length).toBeGreaterThanOrEqual(7);
    for (const plan of others) {
      expect(plan.plan).toMatch(/^(IXSCAN|IDHACK)/);
      // The account has no second factor.
      expect([plan.docsExamined, plan.nReturned]).toEqual([plan.nReturned, Math.min(plan.nReturned, 1)]);
    }
  });
});

describe('a storm of logins', () => {
  const app = useApp({ env: { AUTH_HASH_CONCURRENCY: '1' } });

  it('is processed in order, refused with Retry-After above the limit, and does not stop reads', async () => {
    const attempt = () => app.client.post('/v1/auth/login', { body: { login: 'nobody_here', password: 'whatever' } });
    // Hashes no password before the queues are full.
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    for (const { processes } of app.everyOf(PasswordHasher) as unknown as { processes: HashProcess[] }[]) {
      for (const each of processes) {
        const run = each.run.bind(each);
        each.run = (job) => gate.then(() => run(job));
      }
    }

    // Each server accepts fewer than 100 requests on any machine.
    let refusals = 0;
    const storm = Promise.all(
      Array.from({ length: 90 * app.hosts.length }, async () => {
        const answer = await attempt();
        if (answer.status === 503) refusals++;
        return answer;
      }),
    );
    await until(() => (refusals > 0 ? true : null));
    expect((await app.client.get('/v1/users/top')).status).toBe(200);
    open();
    const answers = await storm;

    const refused = answers.filter((answer) => answer.status === 503);
    // At most 33 requests are admitted at a time. A busy machine admits fewer, so that none of them waits longer than two seconds.
    expect(answers.filter((answer) => answer.status === 401).length).toBe(answers.length - refused.length);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(2);
    for (const { headers, body } of refused) {
      expect([body.code, headers.get('retry-after')]).toEqual(['overloaded', '2']);
    }
    expect((await attempt()).status).toBe(401);
  });
});

describe('refresh', () => {
  const refresh = (refreshToken: unknown) => app.client.post('/v1/auth/refresh', { body: { refreshToken } });

  it('exchanges a token for new ones', async () => {
    const account = await world.person({ overHttp: true });
    const answer = await refresh(account.refreshToken);
    expect(answer.status).toBe(200);
    expect(answer.body.refreshToken).not.toBe(account.refreshToken);
    expect(answer.body.user.id).toBe(account.id);
    expect((await app.client.get('/v1/auth/me', { token: answer.body.accessToken })).status).toBe(200);
    expect((await refresh(answer.body.refreshToken)).status).toBe(200);
  });

  it('ends the whole family when a token is reused after its successor, and no other family', async () => {
    const account = await world.person({ overHttp: true });
    const other = await app.client.post('/v1/auth/login', {
      body: { login: account.username, password: TEST_PASSWORD },
    });
    const second = (await refresh(account.refreshToken)).body.refreshToken;
    const third = (await refresh(second)).body.refreshToken;
    const reuse = await refresh(account.refreshToken);
    expectProblem(reuse, 401, 'invalid_refresh_token');
    expect((await refresh(third)).status).toBe(401);
    expect((await app.client.get('/v1/auth/me', { token: account.token })).status).toBe(401);
    expect((await app.client.get('/v1/auth/me', { token: other.body.accessToken })).status).toBe(200);
    expect((await refresh(other.body.refreshToken)).status).toBe(200);
  });

  const sessionsOf = (account: { id: string }, filter: Document = {}) =>
    app.db.collection('sessions').find({ ...filter, userId: new ObjectId(account.id) });
  const waitUntil = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (const end = Date.now() + 30_000; !(await isSo()); await sleep(5))
      if (Date.now() > end) throw new Error('it did not happen within 30 s');
  };
  /** Moves the exchange of the token into the past. */
  const age = (account: { id: string }, seconds: number) =>
    app.db
      .collection('sessions')
      .updateMany({ userId: new ObjectId(account.id), rotatedAt: { $ne: null } }, [
        { $set: { rotatedAt: { $subtract: ['$rotatedAt', seconds * 1_000] } } },
      ]);

  it('can be repeated when the connection broke before the response, and returns the same next token', async () => {
    const account = await world.person({ overHttp: true });
    const body = JSON.stringify({ refreshToken: account.refreshToken });
    const head = `POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const cut = new RawClient(app.url);
    // Sends the request without reading its response.
    cut.socket.write(`${head}\r\n\r\n${body}`, () => cut.socket.destroy());
    await waitUntil(async () => (await sessionsOf(account, { rotatedAt: { $ne: null } }).toArray()).length === 1);
    expect(cut.text).toBe('');
    const again = await Promise.all(Array.from({ length: 5 }, () => refresh(account.refreshToken)));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const tokens = new Set(again.map(({ body: { refreshToken } }) => refreshToken as string));
    expect(tokens.size).toBe(1);
    expect(await sessionsOf(account).toArray()).toHaveLength(2);
    expect((await refresh([...tokens][0])).status).toBe(200);
  });

  it('returns the same next token to all concurrent requests with one token', async () => {
    const account = await world.person({ overHttp: true });
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(account.refreshToken)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.refreshToken as string)).size).toBe(1);
    for (const { body } of answers)
      expect((await app.client.get('/v1/auth/me', { token: body.accessToken })).status).toBe(200);
    expect((await refresh(answers[0]!.body.refreshToken)).status).toBe(200);
  });

  it('may be repeated for 30 seconds; after that the family ends', async () => {
    const account = await world.person({ overHttp: true });
    const next = (await refresh(account.refreshToken)).body.refreshToken;
    await age(account, 20);
    expect((await refresh(account.refreshToken)).body.refreshToken).toBe(next);
    await age(account, 11);
    expect((await refresh(account.refreshToken)).status).toBe(401);
    expect((await refresh(next)).status).toBe(401);
    expect(await sessionsOf(account, { rotatedAt: null, revokedAt: null }).toArray()).toEqual([]);
  });

  it('may not be sent again after signing out', async () => {
    const account = await world.person({ overHttp: true });
    const next = (await refresh(account.refreshToken)).body.refreshToken;
    await app.client.post('/v1/auth/logout', { body: { refreshToken: next } });
    expect((await refresh(account.refreshToken)).status).toBe(401);
  });

  it('refuses expired, unknown and malformed tokens', async () => {
    const account = await world.person({ overHttp: true });
    await app.db
      .collection('sessions')
      .updateMany({ userId: new ObjectId(account.id) }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
    expect((await refresh(account.refreshToken)).status).toBe(401);
    expect((await refresh('x'.repeat(43))).status).toBe(401);
    expect((await refresh(account.token)).status).toBe(400); // Longer than any refresh token.
    expect((await refresh({ $ne: '' })).status).toBe(400);
    expect((await refresh(undefined)).status).toBe(400);
  });

  it('puts the current role into the new access token', async () => {
    const account = await world.person({ overHttp: true });
    await app.db.collection('users').updateOne({ _id: new ObjectId(account.id) }, { $set: { role: 'moderator' } });
    expect((await refresh(account.refreshToken)).body.user.role).toBe('moderator');
  });

  it('revokes the family of a token, with the same response for an unknown token', async () => {
    const account = await world.person({ overHttp: true });
    const next = (await refresh(account.refreshToken)).body.refreshToken;
    const logout = (refreshToken: string) => app.client.post('/v1/auth/logout', { body: { refreshToken } });
    expect((await logout(next)).status).toBe(204);
    expect((await refresh(next)).status).toBe(401);
    expect((await app.client.get('/v1/auth/me', { token: account.token })).body.code).toBe('invalid_token');
    expect((await logout(next)).status).toBe(204);
    expect((await logout('unknown')).status).toBe(204);
  });
});

describe('the deletion of an account', () => {
  it('needs the password', async () => {
    const account = await world.person({ overHttp: true });
    const end = (body: unknown, token?: string) => app.client.delete('/v1/users/me', { body, token });
    expect((await end({ password: account.password })).status).toBe(401);
    const wrong = await end({ password: 'not the password' }, account.token);
    expectProblem(wrong, 401, 'invalid_credentials');
    expect(wrong.body.errors).toEqual([{ field: 'password', message: 'must be your present password' }]);
    const none = await end({}, account.token);
    expect([none.status, none.body.errors]).toEqual([401, wrong.body.errors]);
    expect((await app.client.get('/v1/auth/me', { token: account.token })).status).toBe(200);
  });

  it('takes effect immediately on the profile, sign-in and both kinds of token, in every process', async () => {
    const account = await world.person({ overHttp: true });
    // A second process on the same database acts as another host.
    const other = await startApp({ beside: app });
    try {
      const answer = await app.client.delete('/v1/users/me', {
        body: { password: account.password },
        token: account.token,
      });
      expect(answer.status).toBe(204);
      await other.app.get(TokenRevocations).load();
      for (const server of [app.client, other.client]) {
        const me = await server.get('/v1/auth/me', { token: account.token });
        expectProblem(me, 401, 'invalid_token');
        expect((await server.get(`/v1/users/${account.username}`)).status).toBe(404);
        expect((await server.get(`/v1/users?ids=${account.id}`)).body).toEqual({ data: [] });
        const body = { refreshToken: account.refreshToken };
        expect((await server.post('/v1/auth/refresh', { body })).status).toBe(401);
        const login = { login: account.email, password: account.password };
        expect((await server.post('/v1/auth/login', { body: login })).status).toBe(401);
      }
    } finally {
      await other.close();
    }
    // A process that starts later has the revocation, too.
    const late = await startApp({ beside: app });
    try {
      expect((await late.client.get('/v1/auth/me', { token: account.token })).status).toBe(401);
    } finally {
      await late.close();
    }
  });

  it('leaves no personal data, adds a task, and reserves the name', async () => {
    const account = await world.person({ overHttp: true, fullName: 'Somebody Unique' });
    await app.client.patch('/v1/users/me', { body: { bio: 'a secret of mine' }, token: account.token });
    await app.client.delete('/v1/users/me', { body: { password: account.password }, token: account.token });
    const _id = new ObjectId(account.id);
    const row = (await app.db.collection('users').findOne({ _id }))!;
    expect(row).toMatchObject({ username: account.username, fullName: 'Deleted account', bio: '' });
    expect(row.deletedAt).toBeInstanceOf(Date);
    expect(await app.db.collection('credentials').countDocuments({ _id })).toBe(0);
    expect(await app.db.collection('sessions').countDocuments({ userId: _id })).toBe(0);
    expect(await app.db.collection('tasks').countDocuments({ topic: 'account.ended', payload: _id })).toBe(1);
    const again = { username: account.username, email: account.email, password: TEST_PASSWORD, fullName: 'New' };
    expect((await app.client.post('/v1/auth/register', { body: again })).body.code).toBe('username_taken');
    const otherName = await app.client.post('/v1/auth/register', { body: { ...again, username: 'fresh_start' } });
    expect(otherName.status).toBe(201);
  });

  it('happens once for any number of concurrent requests', async () => {
    const account = await world.person({ overHttp: true });
    const end = () =>
      app.patient.delete('/v1/users/me', { body: { password: account.password }, token: account.token });
    const statuses = (await Promise.all([end(), end(), end()])).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    for (const status of statuses) expect([204, 401, 404]).toContain(status);
    const rows = { topic: 'account.ended', payload: new ObjectId(account.id) };
    expect(await app.db.collection('tasks').countDocuments(rows)).toBe(1);
  });

  it('refuses a token for an account that never was', async () => {
    const { accessToken } = app.app.get(AccessTokenService).issue({ id: new ObjectId().toHexString(), role: 'user' });
    const me = await app.client.get('/v1/auth/me', { token: accessToken });
    expectProblem(me, 404, 'user_not_found');
  });
});
