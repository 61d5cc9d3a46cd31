import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { LoginThrottle } from '../../src/auth/login-throttle.js';
import { pairId } from '../../src/common/pair-id.js';
import type { Follow } from '../../src/follows/follow.schema.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';

describe('rate limits', () => {
  const app = useApp({
    oneHost: 'of several hosts each lets a portion more through',
    env: {
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_READS_PER_MINUTE: '5',
      RATE_LIMIT_WRITES_PER_MINUTE: '3',
      // Allows one more request after 30 s, because a first hash may take seconds.
      RATE_LIMIT_AUTH_PER_MINUTE: '2',
      HTTP_TRUSTED_PROXIES: '127.0.0.1',
      CACHE_FEED_TTL_MS: '0',
    },
  });
  const { world } = app;
  const ask: Ask = (path, address, init = {}) =>
    fetch(`${app.url}${path}`, { ...init, headers: { 'x-forwarded-for': address, ...init.headers } });

  it('send the remaining requests in a header, then refuse with Retry-After', async () => {
    const first = await ask('/v1/users?ids=64b000000000000000000001', '10.0.0.1');
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toBe('"reads";q=5;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"reads";r=4;t=\d+$/);
    expect(first.headers.get('x-ratelimit-limit')).toBe('5');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('4');
    for (let more = 0; more < 4; more++) await ask('/v1/users?ids=64b000000000000000000001', '10.0.0.1');
    const refused = await ask('/v1/users?ids=64b000000000000000000001', '10.0.0.1');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    // Another client is not limited.
    expect((await ask('/v1/users?ids=64b000000000000000000001', '10.0.0.2')).status).toBe(200);
    // Reads do not limit writes.
    expect((await ask('/v1/posts', '10.0.0.1', { method: 'POST' })).status).toBe(401);
  });

  /** Returns a request for the following feed of a reader who follows `count` accounts. */
  const readerOf = async (count: number, address: string): Promise<() => Promise<Response>> => {
    const reader = await world.person();
    const rows = Array.from({ length: count }, (): Follow => {
      const pair = { followerId: reader._id, followingId: new ObjectId() };
      return { _id: pairId(pair.followerId, pair.followingId), ...pair, seq: new ObjectId(), since: new Date() };
    });
    await app.db.collection<Follow>('follows').insertMany(rows);
    return () => ask('/v1/feed/following', address, { headers: { authorization: `Bearer ${reader.token}` } });
  };

  it.each<[number, number[]]>([
    [200, [200, 200, 200, 200, 200, 429]],
    [1_000, [200, 429]],
    [5_000, [200, 429]],
  ])('count a page of the following feed by whom one follows: %i', async (count, expected) => {
    const page = await readerOf(count, '10.0.4.1');
    for (const status of expected) expect((await page()).status).toBe(status);
    const refused = await page();
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  });

  it('count one client behind a proxy that forwards its port with its address', async () => {
    const statuses: number[] = [];
    for (const port of [50_000, 50_001, 50_002, 50_003])
      statuses.push((await ask('/v1/auth/login', `10.0.11.1:${port}`, json('POST', wrongLogin(port)))).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await ask('/v1/auth/login', '[2001:db8::1]:50000', json('POST', wrongLogin(0)))).status).toBe(401);
  });

  it('refuse concurrent requests beyond the debt that an account may have', async () => {
    const page = await readerOf(1_200, '10.0.5.1');
    const answers = await Promise.all(Array.from({ length: 5 }, page));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('are not escaped by inventing tokens', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) {
      const headers = { authorization: `Bearer invented.${index}.token` };
      statuses.push((await ask('/v1/posts', '10.0.1.1', { method: 'POST', headers })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it.each([
    ['POST', '/v1/auth/tokens'],
    ['DELETE', '/v1/users/me'],
  ])('count what asks for the password as an attempt to sign in: %s %s', async (method, path) => {
    const answer = await ask(path, '10.0.6.1', { method });
    expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([401, '"auth";q=2;w=60']);
  });

  it('are strict for password guesses, and the same for known and unknown accounts', async () => {
    const login = (name: string, address: string) =>
      ask('/v1/auth/login', address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ login: name, password: 'wrong password' }),
      });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index++) statuses.push((await login(`nobody${index}`, '10.0.2.1')).status);
    expect(statuses).toEqual([401, 401, 429]);
    // Stops the clock, because the fourth guess would be checked a second after the third.
    const now = new Date();
    for (const { failures } of app.everyOf(LoginThrottle)) failures.now = () => now;
    const spread: number[] = [];
    for (let index = 0; index < 4; index++) spread.push((await login('victim', `10.0.3.${index}`)).status);
    expect(spread).toEqual([401, 401, 401, 429]);
  });
});

describe('limits by size', () => {
  const settings = {
    oneHost: 'of several hosts each lets a portion more through',
    env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_BYTES_PER_DAY: '1000000' },
  };
  const app = useApp({ ...settings, env: { ...settings.env, RATE_LIMIT_WRITES_PER_MINUTE: '20' } });
  /** limits the bytes of a day long before the writes */
  const bytesApp = useApp({ ...settings, env: { ...settings.env, RATE_LIMIT_WRITES_PER_MINUTE: '100000' } });

  const writer = async (at: typeof app, isEmailVerified: boolean) => {
    const { viewer } = await at.world.person();
    const token = at.app.get(AccessTokenService).issue({ ...viewer, isEmailVerified }).accessToken;
    return (length: number) => at.client.post('/v1/drafts', { token, body: { content: 'x'.repeat(length) } });
  };

  it('count one more write for each 16 kB of a body', async () => {
    const write = await writer(app, true);

    const left: number[] = [];
    for (const length of [100, 16_000, 16_384, 100_000, 100])
      left.push(Number((await write(length)).headers.get('x-ratelimit-remaining')));
    const second = await write(195_000);
    const third = await write(100);

    // The price of a body is known after its arrival, so the next response includes it.
    expect(left.map((remaining, at) => (left[at - 1] ?? 20) - remaining)).toEqual([1, 1, 1, 2, 7]);
    expect([second.status, third.status, third.body.code]).toEqual([201, 429, 'rate_limited']);
  });

  it.each([
    [true, 1_000_000],
    [false, 100_000],
  ])('bound the bytes of a day, address verified: %p', async (isEmailVerified, budget) => {
    const write = await writer(bytesApp, isEmailVerified);
    const statuses: number[] = [];
    const length = budget / 8;
    let last = await write(length);
    for (; last.status === 201 && statuses.length < 20; last = await write(length)) statuses.push(last.status);

    expect(statuses).toHaveLength(8);
    expect([last.status, last.body.code]).toEqual([429, 'byte_budget_spent']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('exchanging refresh tokens', () => {
  const app = useApp({
    oneHost: 'of several hosts each lets a portion more through',
    env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH_PER_MINUTE: '3', HTTP_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const ask: Ask = (path, address, init = {}) =>
    fetch(`${app.url}${path}`, { ...init, headers: { 'x-forwarded-for': address, ...init.headers } });

  it('is limited by sign-in, not by address', async () => {
    const tokens = await Promise.all([1, 2, 3].map(async (end) => (await register(ask, `10.0.7.${end}`)).refreshToken));
    for (const first of tokens) {
      const statuses: number[] = [];
      let refreshToken = first;
      for (let turn = 0; turn < 4; turn++) {
        const response = await ask('/v1/auth/refresh', '10.0.7.9', json('POST', { refreshToken }));
        statuses.push(response.status);
        if (response.status === 200) refreshToken = ((await response.json()) as Account).refreshToken;
      }
      expect(statuses).toEqual([200, 200, 200, 429]);
    }
  });
});

describe('new accounts and new addresses', () => {
  const LIMIT = 2;
  const app = useApp({
    oneHost: 'of several hosts each lets a portion more through',
    env: {
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
      RATE_LIMIT_REGISTRATIONS_PER_HOUR: String(LIMIT),
      RATE_LIMIT_NEW_RECIPIENTS_PER_HOUR: String(LIMIT),
      HTTP_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const ask: Ask = (path, address, init = {}) =>
    fetch(`${app.url}${path}`, { ...init, headers: { 'x-forwarded-for': address, ...init.headers } });

  it('are limited for one network; refused ones are not counted', async () => {
    const taken = await register(ask, '10.1.0.1');
    const again = json('POST', newAccount({ username: taken.user.username }));
    for (let turn = 0; turn < 2 * LIMIT; turn++)
      expect((await ask('/v1/auth/register', '10.1.0.2', again)).status).toBe(409);
    for (let made = 0; made < LIMIT; made++) await register(ask, '10.1.0.2');
    const refused = await ask('/v1/auth/register', '10.1.0.2', json('POST', newAccount()));
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
    await register(ask, '10.1.0.3');
  });

  it('get few mails from one network', async () => {
    const { accessToken } = await register(ask, '10.1.1.1');
    const statuses: number[] = [];
    for (let turn = 0; turn <= LIMIT; turn++) {
      const { headers, ...init } = json('PUT', { email: newAccount().email, password: TEST_PASSWORD });
      const authorized = { ...init, headers: { ...headers, authorization: `Bearer ${accessToken}` } };
      statuses.push((await ask('/v1/auth/email', '10.1.1.2', authorized)).status);
    }
    expect(statuses).toEqual([202, 202, 429]);
  });
});

const wrongLogin = (of: number) => ({ login: `nobody${of}@example.org`, password: 'not the password' });

type Ask = (path: string, address: string, init?: RequestInit) => Promise<Response>;
type Account = { accessToken: string; refreshToken: string; user: { username: string } };

function newAccount(fields: { username?: string } = {}) {
  const username = `u${randomBytes(5).toString('hex')}`;
  const email = `${username}@example.org`;
  return { username, email, fullName: 'A Person', password: TEST_PASSWORD, ...fields };
}

function json(method: string, body: object) {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function register(ask: Ask, address: string): Promise<Account> {
  const response = await ask('/v1/auth/register', address, json('POST', newAccount()));
  expect(response.status).toBe(201);
  return (await response.json()) as Account;
}
