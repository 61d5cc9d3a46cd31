import type { CommandStartedEvent, Document } from 'mongodb';
import { loadConfig } from '../../src/config/app-config.js';
import { SignInFailureSchema } from '../../src/auth/sign-in-failure.schema.js';
import { LoginThrottle } from '../../src/auth/login-throttle.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';

const HOUR_MS = 3_600_000;
const REFUSED = { code: 'rate_limited', retryAfterSeconds: expect.any(Number) as number };
const signIn = (account: string, address: string, isKnown = false) => ({
  account,
  address,
  isKnownNetwork: () => Promise.resolve(isKnown),
});
const wrong = () => Promise.resolve(false);
const right = () => Promise.resolve(true);

describe('sign-in delays', () => {
  const mongo = useMongoModule();
  let a: LoginThrottle;
  let b: LoginThrottle;
  let service: MongoService;

  const open = async (environment: Record<string, string> = {}): Promise<LoginThrottle> => {
    const config = loadConfig({ AUTH_TOKEN_SECRET: 'x'.repeat(40), ...environment });
    const module = await mongo.open();
    service = module.get(MongoService);
    return new LoginThrottle(config, service);
  };
  const rows = () => mongo.db.collection('sign_in_failures');

  beforeAll(async () => {
    a = await open();
    b = await open();
    // The clock is stopped, because a busy machine may need a second, the first delay, for a few guesses.
    const now = new Date();
    a.failures.now = b.failures.now = () => now;
  });
  beforeEach(async () => {
    await rows().deleteMany({});
  });

  it('are the same on every host, concurrent attempts included', async () => {
    let letGo: (isRight: boolean) => void = () => undefined;
    const slow = new Promise<boolean>((resolve) => (letGo = resolve));
    const begun: Promise<void>[] = [];
    const underWay = [a, a, b].map((each) => {
      let start: () => void = () => undefined;
      begun.push(new Promise((resolve) => (start = resolve)));
      return each.guard(signIn('ada', '10.0.0.1'), () => {
        start();
        return slow;
      });
    });
    await Promise.all(begun);
    for (const each of [a, b])
      await expect(each.guard(signIn('ada', '10.0.0.2'), right)).rejects.toMatchObject(REFUSED);
    letGo(false);
    expect(await Promise.all(underWay)).toEqual([false, false, false]);
    await expect(b.guard(signIn('ada', '10.0.0.1'), right)).rejects.toMatchObject({ retryAfterSeconds: 1 });
    await expect(a.guard(signIn('ada', '10.9.9.9'), right)).rejects.toMatchObject(REFUSED);
    expect(await a.guard(signIn('grace', '10.0.0.1'), right)).toBe(true);
  });

  it('check only the free ones of a hundred concurrent guesses at two hosts', async () => {
    const guesses = Array.from({ length: 100 }, (_, at) => [a, b][at % 2]!.guard(signIn('ada', `10.0.0.${at}`), wrong));
    const checked = (await Promise.allSettled(guesses)).filter(({ status }) => status === 'fulfilled');
    expect(checked).toHaveLength(3);
  });

  it('are zero at first, then double up to the longest, and expire after an hour', async () => {
    const delays = await open();
    let now = Date.now();
    delays.failures.now = () => new Date(now);
    const waits: number[] = [];
    for (let guess = 0; guess < 12; guess++) {
      await delays.guard(signIn('ada', '10.0.0.1'), wrong);
      if (guess < 2) continue;
      // Only the account's delay refuses the other network, and no failure is counted there.
      const elsewhere = delays.guard(signIn('ada', '10.0.0.2'), right);
      waits.push((await elsewhere.catch((error: { retryAfterSeconds: number }) => error.retryAfterSeconds)) as number);
      now += 300_000;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
    now += 3_600_000;
    for (let guess = 0; guess < 3; guess++) expect(await delays.guard(signIn('ada', '10.0.0.1'), wrong)).toBe(false);
    await expect(delays.guard(signIn('ada', '10.0.0.1'), right)).rejects.toMatchObject({ retryAfterSeconds: 1 });
  });

  /** Returns the checked guesses per account in an hour, by clients that retry exactly when allowed. */
  async function guessesInAnHour(networks: string[], ...accounts: ((guess: number) => string)[]): Promise<number> {
    const delays = await open();
    const guessers = networks.flatMap((network) => accounts.map((accountOf) => ({ network, accountOf, at: 0 })));
    let now = 0;
    const start = Date.now();
    delays.failures.now = () => new Date(start + now);
    let guesses = 0;
    let checked = 0;
    for (;;) {
      const guesser = guessers.reduce((first, one) => (one.at < first.at ? one : first));
      if (guesser.at >= HOUR_MS) return checked;
      now = Math.max(now, guesser.at);
      const retryAfterSeconds = await delays.guard(signIn(guesser.accountOf(guesses++), guesser.network), wrong).then(
        () => 0,
        (error: { retryAfterSeconds: number }) => error.retryAfterSeconds,
      );
      if (retryAfterSeconds === 0) checked++;
      guesser.at = now + retryAfterSeconds * 1_000;
    }
  }

  it('leave 22 guesses an hour at an account for one network, 67 for twenty, 42 at its names and its address, 74 at all accounts', async () => {
    const twenty = Array.from({ length: 20 }, (_, at) => `10.0.1.${at}`);
    expect({
      oneNetwork: await guessesInAnHour(['10.0.2.1'], () => 'name:a'),
      // The delays of the network prevent two of 44 guesses.
      namesAndAddress: await guessesInAnHour(
        ['10.0.3.1'],
        () => 'name:b',
        () => 'address:b',
      ),
      twentyNetworks: await guessesInAnHour(twenty, () => 'name:c'),
      allAccounts: await guessesInAnHour(['10.0.4.1'], (guess) => `name:${guess}`),
    }).toEqual({ oneNetwork: 22, namesAndAddress: 42, twentyNetworks: 67, allAccounts: 74 });
  });

  it('end with a success for its network, and for no other', async () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      await a.guard(signIn('ada', '10.0.0.1'), wrong);
      await a.guard(signIn('ada', '10.0.0.2', true), wrong);
    }
    await expect(a.guard(signIn('ada', '10.0.0.1'), right)).rejects.toMatchObject(REFUSED);
    expect(await b.guard(signIn('ada', '10.0.0.2', true), right)).toBe(true);
    // Two failures remain, those of the other network.
    expect(await a.guard(signIn('ada', '10.0.0.1'), wrong)).toBe(false);
    await expect(b.guard(signIn('ada', '10.0.0.3'), right)).rejects.toMatchObject(REFUSED);
  });

  it('do not count a check that could not run as a failure', async () => {
    const overloaded = () => Promise.reject(new Error('overloaded'));
    for (let attempt = 0; attempt < 20; attempt++)
      await expect(a.guard(signIn('ada', '10.0.0.1'), overloaded)).rejects.toThrow('overloaded');
    expect(await a.guard(signIn('ada', '10.0.0.1'), right)).toBe(true);
  });

  it('treat a /64 of IPv6 as one client, which adds no rows once it is refused, for any number of names', async () => {
    for (let guess = 0; guess < 10; guess++) await a.guard(signIn(`name:n${guess}`, `2001:db8:0:1::${guess}`), wrong);
    const before = await rows().countDocuments();
    for (let guess = 0; guess < 20; guess++)
      await expect(a.guard(signIn(`name:m${guess}`, '2001:db8:0:1::ffff'), right)).rejects.toMatchObject(REFUSED);
    expect(await rows().countDocuments()).toBe(before);
    expect(await a.guard(signIn('ada', '2001:db8:0:2::1'), right)).toBe(true);
  });

  it('are found by primary key, and removed by the database', async () => {
    const commands: Document[] = [];
    const started = ({ command }: CommandStartedEvent): void => void commands.push(command);
    service.client.on('commandStarted', started);
    const delays = new LoginThrottle(loadConfig({ AUTH_TOKEN_SECRET: 'x'.repeat(40) }), service);
    await delays.guard(signIn('ada', '10.0.0.1'), wrong);
    await delays.guard(signIn('ada', '10.0.0.1'), right);
    service.client.off('commandStarted', started);
    expect(commands.map(({ findAndModify, update }) => (findAndModify ?? update) as unknown)).toEqual(
      Array(9).fill('sign_in_failures'),
    );
    for (const command of commands) {
      const { findAndModify, query, update, upsert, remove, updates } = command;
      const plain =
        findAndModify === undefined
          ? { update, updates: updates as unknown }
          : { findAndModify, query, ...(remove ? { remove } : { update, upsert: upsert as unknown }) };
      const { queryPlanner, executionStats } = await mongo.db.command({ explain: plain, verbosity: 'executionStats' });
      expect(JSON.stringify(queryPlanner)).toMatch(/IDHACK|"indexName":"_id_"/);
      expect((executionStats as Document)['totalDocsExamined']).toBeLessThanOrEqual(1);
    }
    expect(SignInFailureSchema.indexes()).toEqual([[{ at: 1 }, { expireAfterSeconds: 3_600 }]]);
  });

  it('are off when limits are switched off', async () => {
    const delays = await open({ RATE_LIMIT_ENABLED: 'false' });
    for (let attempt = 0; attempt < 20; attempt++)
      expect(await delays.guard(signIn('ada', '10.0.0.1'), wrong)).toBe(false);
    expect(await rows().countDocuments()).toBe(0);
  });
});
