import { AppConfig } from '../config/app-config.js';
import { ENV_SCHEMA } from '../config/env.schema.js';
import { HostTurns } from '../platform/cluster/host-turns.js';
import { MAX_WAITING_PER_PROCESS, PasswordHasher } from './password-hasher.js';

const hasher = (overrides: Record<string, string> = {}): PasswordHasher =>
  new PasswordHasher(
    new AppConfig(
      ENV_SCHEMA.parse({
        AUTH_TOKEN_SECRET: 'x'.repeat(40),
        AUTH_ARGON2_MEMORY_KIB: '8192',
        AUTH_ARGON2_ITERATIONS: '1',
        ...overrides,
      }),
    ),
    new HostTurns(),
  );

describe('PasswordHasher', () => {
  it('makes argon2id hashes with the configured cost, a salt each, and knows the right password', async () => {
    const passwords = hasher({ AUTH_ARGON2_MEMORY_KIB: '9216', AUTH_ARGON2_ITERATIONS: '3' });
    const [first, second] = [await passwords.hash('pässwört'), await passwords.hash('pässwört')];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=9216,t=3,p=1\$/);
    expect(first).not.toBe(second);
    expect(await passwords.verify(first, 'pässwört')).toBe(true);
    expect(await passwords.verify(first, 'passwort')).toBe(false);
    // the same letters, decomposed as some systems type them
    expect(await passwords.verify(first, 'pässwört'.normalize('NFD'))).toBe(true);
  });

  it('answers false for an account that does not exist, at the price of a real check', async () => {
    const passwords = hasher({ AUTH_ARGON2_MEMORY_KIB: '32768', AUTH_ARGON2_ITERATIONS: '3' });
    const real = await passwords.hash('a password');
    const cost = async (passwordHash: string | null): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 5; round++) {
        const start = performance.now();
        expect(await passwords.verify(passwordHash, 'another')).toBe(false);
        times.push(performance.now() - start);
      }
      return Math.min(...times);
    };
    const [unknown, known] = [await cost(null), await cost(real)];
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
  });

  it('knows a hash of other parameters as outdated', async () => {
    const old = await hasher().hash('a password');
    expect(hasher().isOutdated(old)).toBe(false);
    expect(hasher({ AUTH_ARGON2_ITERATIONS: '2' }).isOutdated(old)).toBe(true);
    expect(hasher({ AUTH_ARGON2_MEMORY_KIB: '9216' }).isOutdated(old)).toBe(true);
  });

  it('lets a bounded number wait, refuses the rest with a time to come back, and recovers', async () => {
    const passwords = hasher({ AUTH_HASH_CONCURRENCY: '1' });
    const calls = Array.from({ length: MAX_WAITING_PER_PROCESS + 6 }, () => passwords.hash('a password'));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(5);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 });
    expect(await passwords.verify(await passwords.hash('a password'), 'a password')).toBe(true);
  });
});
