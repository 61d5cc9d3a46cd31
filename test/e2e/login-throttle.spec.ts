import { ObjectId } from 'mongodb';
import { OneTimeTokensService } from '../../src/auth/one-time-tokens.service.js';
import { LoginThrottle } from '../../src/auth/login-throttle.js';
import { PASSWORD_RESET } from '../../src/auth/token-kinds.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useApp } from '../support/app.js';
import { signUp, type TestAccount } from '../support/accounts.js';
import type { Answer } from '../support/client.js';
import { commandsOf } from '../support/commands.js';

const WRONG = 'not the password';

describe('guessing passwords', () => {
  const app = useApp({
    env: {
      RATE_LIMIT_ENABLED: 'true',
      // Only the delays refuse requests.
      RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
      RATE_LIMIT_WRITES_PER_MINUTE: '1000000',
      HTTP_TRUSTED_PROXIES: '127.0.0.1',
      AUTH_HASH_CONCURRENCY: '2',
    },
  });
  /** Clock of the delays, in milliseconds. The TTL index of MongoDB uses its own clock. */
  let now = Date.now();
  /** Each test, and each of its networks, uses new addresses. */
  let series = 0;
  const networksOf = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `10.${series}.1.${index}`);
  const home = () => `10.${series}.0.1`;

  beforeAll(() => {
    for (const { failures } of app.everyOf(LoginThrottle)) failures.now = () => new Date(now);
  });
  beforeEach(() => {
    series++;
  });

  const post = (path: string, body: object, address: string): Promise<Answer> =>
    app.patient.post(path, { body, headers: { 'x-forwarded-for': address } });
  const logIn = (login: string, password: string, address: string): Promise<Answer> =>
    post('/v1/auth/login', { login, password }, address);
  const retryAfterMs = ({ headers }: Answer): number => Number(headers.get('retry-after')) * 1_000;

  /** Registers an account with an earlier name from its home network, with two spellings of each login. */
  async function account(): Promise<TestAccount & { names: string[]; addresses: string[] }> {
    const created = await signUp({
      ...app.client,
      post: (path, options) => app.client.post(path, { ...options, headers: { 'x-forwarded-for': home() } }),
    });
    const username = `n${created.username.slice(1)}`;
    await app.client.patch('/v1/users/me', { token: created.token, body: { username } });
    const names = [created.username, username];
    const spelt = (plain: string[]) => [...plain, ...plain.map((name) => name.toUpperCase())];
    return { ...created, names: spelt(names), addresses: spelt([created.email]) };
  }

  it('does not delay the owner on a network of earlier sign-ins', async () => {
    const { names, addresses, password } = await account();
    const ways = [...names, ...addresses];
    const owner: number[] = [];
    const guesses: number[] = [];
    for (let round = 0; round < 10; round++) {
      const underWay = networksOf(8).map((network) => logIn(names[0]!, WRONG, network));
      owner.push((await logIn(ways[round % ways.length]!, password, home())).status);
      guesses.push(...(await Promise.all(underWay)).map(({ status }) => status));
      now += 10_000;
    }
    expect(owner).toEqual(Array(10).fill(200));
    // Few guesses are checked in 100 seconds at full speed.
    expect(guesses.filter((status) => status === 401).length).toBeLessThanOrEqual(12);
    expect(new Set(guesses)).toEqual(new Set([401, 429]));
  });

  it('does not delay the owner on a network where they refreshed their tokens', async () => {
    const { names, password, refreshToken } = await account();
    const [guesser, moved, elsewhere] = networksOf(3) as [string, string, string];
    await post('/v1/auth/refresh', { refreshToken }, moved);
    for (let guess = 0; guess < 3; guess++) await logIn(names[0]!, WRONG, guesser);
    expect((await logIn(names[0]!, password, moved)).status).toBe(200);
    expect((await logIn(names[0]!, password, elsewhere)).status).toBe(429);
  });

  it('does not delay the owner on a network where they reset the password by mail', async () => {
    const { id, email, names } = await account();
    const [guesser, elsewhere] = networksOf(2) as [string, string];
    for (let guess = 0; guess < 3; guess++) await logIn(names[0]!, WRONG, guesser);
    expect((await logIn(names[0]!, WRONG, elsewhere)).status).toBe(429);
    const token = await app.app
      .get(MongoService)
      .transaction((tx) => app.app.get(OneTimeTokensService).issue(PASSWORD_RESET, new ObjectId(id), { email }, tx));
    const headers = { 'x-forwarded-for': elsewhere };
    const password = 'battery staple correct';
    expect((await app.patient.put('/v1/auth/password-reset', { headers, body: { token, password } })).status).toBe(204);
    expect((await logIn(names[0]!, password, elsewhere)).status).toBe(200);
    expect((await logIn(names[0]!, password, guesser)).status).toBe(429);
  });

  it('cannot be avoided by another spelling, another name of the account, or another route', async () => {
    const { names, addresses, token } = await account();
    const [one, other] = networksOf(2) as [string, string];
    for (const spellings of [names, [...addresses, ...addresses]]) {
      const statuses: number[] = [];
      for (const name of spellings) statuses.push((await logIn(name, WRONG, one)).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
    }
    const headers = { 'x-forwarded-for': other };
    const end = await app.client.delete('/v1/users/me', { token, headers, body: { password: WRONG } });
    expect(end.status).toBe(429);
    const body = { email: 'another@example.org', password: WRONG };
    expect((await app.client.put('/v1/auth/email', { token, headers, body })).status).toBe(429);
  });

  it('cannot be avoided by another network either', async () => {
    const { names } = await account();
    const statuses: number[] = [];
    for (const [index, network] of networksOf(6).entries())
      statuses.push((await logIn(names[index % names.length]!, WRONG, network)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
  });

  it('does not reveal which address belongs to a name', async () => {
    const { names, addresses, token } = await account();
    const other = await account();
    const [stranger] = networksOf(1) as [string];
    for (let guess = 0; guess < 3; guess++) await logIn(names[0]!, WRONG, stranger);
    const headers = { 'x-forwarded-for': stranger };
    const end = await app.client.delete('/v1/users/me', { token, headers, body: { password: WRONG } });
    expect([(await logIn(names[0]!, WRONG, stranger)).status, end.status]).toEqual([429, 429]);
    for (const address of [other.addresses[0]!, addresses[0]!, `nobody${series}@example.org`])
      expect((await logIn(address, WRONG, stranger)).status).toBe(401);
  });

  it('looks the same for known and unknown accounts, to the client and to the database', async () => {
    const { email } = await account();
    const seen = async (login: string, networks: string[]) => {
      const answers: unknown[] = [];
      for (const network of networks) {
        const commands = await commandsOf(app, async () => {
          const { status, body, headers } = await logIn(login, WRONG, network);
          answers.push({ status, ...body, requestId: '', retryAfter: headers.get('retry-after') });
        });
        answers.push(commands);
      }
      return answers;
    };
    // Three guesses are checked, one is delayed by its own network, and one by the other guesses.
    const from = (offset: number): string[] => {
      const [a, b] = networksOf(offset + 2).slice(offset);
      return [a!, a!, a!, a!, b!];
    };
    const known = await seen(email, from(0));
    const statuses = known.filter((_, index) => index % 2 === 0).map((answer) => (answer as Answer).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(await seen(`nobody${series}@example.org`, from(2))).toEqual(known);
  });

  it('checks only the free guesses of many concurrent ones', async () => {
    const [burst] = networksOf(1) as [string];
    const guesses = Array.from({ length: 60 }, (_, index) => logIn(`nobody_${index}`, WRONG, burst));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses).toContain(401);
    expect(statuses).toContain(429);
  });

  it('by one program delays others of its network by at most a minute, and known accounts not at all', async () => {
    const colleague = await account();
    for (let guess = 0; guess < 30; guess++) {
      const { status, headers } = await logIn(`nobody_${guess}`, WRONG, home());
      expect([401, 429]).toContain(status);
      if (status === 429) now += Number(headers.get('retry-after')) * 1_000;
    }
    expect((await logIn('nobody_else', WRONG, home())).status).toBe(429);
    expect((await logIn(colleague.email, colleague.password, home())).status).toBe(200);
    const newcomer = await logIn('newcomer@example.org', WRONG, home());
    expect(newcomer.status).toBe(429);
    expect(retryAfterMs(newcomer)).toBeLessThanOrEqual(60_000);
  });
});
