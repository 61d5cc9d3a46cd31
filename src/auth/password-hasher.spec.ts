import { readdirSync, readFileSync } from 'node:fs';
import { AppConfig } from '../config/app-config.js';
import { ENV_SCHEMA } from '../config/env.schema.js';
import { HASH_TITLE } from './hash-process.js';
import { MAX_WAITING_PER_PROCESS, PasswordHasher, UNKNOWN_NETWORKS_SHARE } from './password-hasher.js';

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
  );

/** CPU of the hash processes of this process, in hundredths of a second. */
function hashingJiffies(): number {
  let jiffies = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [, parent, ...rest] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const isOurs = parent === process.pid && stat.includes(`(${HASH_TITLE.slice(0, 15)})`);
      if (isOurs) jiffies += rest[9]! + rest[10]!;
    } catch {
      // The process has exited.
    }
  }
  return jiffies;
}

describe('PasswordHasher', () => {
  it('creates argon2id hashes with the configured cost and random salts, and accepts the right password', async () => {
    const passwords = hasher({ AUTH_ARGON2_MEMORY_KIB: '9216', AUTH_ARGON2_ITERATIONS: '3' });
    const [first, second] = [await passwords.hash('pässwört'), await passwords.hash('pässwört')];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=9216,t=3,p=1\$/);
    expect(first).not.toBe(second);
    expect(await passwords.verify(first, 'pässwört')).toBe(true);
    expect(await passwords.verify(first, 'passwort')).toBe(false);
    // Some systems decompose these letters.
    expect(await passwords.verify(first, 'pässwört'.normalize('NFD'))).toBe(true);
  });

  it('returns false for an unknown account, at the cost of a real check', async () => {
    const passwords = hasher({ AUTH_ARGON2_MEMORY_KIB: '32768', AUTH_ARGON2_ITERATIONS: '3' });
    const real = await passwords.hash('a password');
    // Measures CPU, not time, because hashing yields to everything else on the machine.
    const cost = async (passwordHash: string | null): Promise<number> => {
      const before = hashingJiffies();
      for (let round = 0; round < 10; round++) expect(await passwords.verify(passwordHash, 'another')).toBe(false);
      return hashingJiffies() - before;
    };
    // Runs the one-time set-up before measuring.
    await passwords.verify(null, 'another');
    let ratio = NaN;
    // Retries, because other programs that use the CPU caches increase either cost at times.
    for (let attempt = 0; attempt < 4 && !(ratio > 0.5 && ratio < 2); attempt++) {
      const [unknown, known] = [await cost(null), await cost(real)];
      expect(known).toBeGreaterThan(10);
      ratio = unknown / known;
    }
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  it('treats a hash with other parameters as outdated', async () => {
    const old = await hasher().hash('a password');
    expect(hasher().isOutdated(old)).toBe(false);
    expect(hasher({ AUTH_ARGON2_ITERATIONS: '2' }).isOutdated(old)).toBe(true);
    expect(hasher({ AUTH_ARGON2_MEMORY_KIB: '9216' }).isOutdated(old)).toBe(true);
  });

  it('queues a bounded number, refuses the rest with Retry-After, and recovers', async () => {
    const passwords = hasher({ AUTH_HASH_CONCURRENCY: '1' });
    const calls = Array.from({ length: MAX_WAITING_PER_PROCESS + 6 }, () => passwords.hash('a password'));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(5);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 });
    expect(await passwords.verify(await passwords.hash('a password'), 'a password')).toBe(true);
  });

  it('reserves a part of its queue for known networks', async () => {
    const passwords = hasher({ AUTH_HASH_CONCURRENCY: '1' });
    const verify = (share: number) => passwords.verify(null, 'a password', share);
    const calls = Array.from({ length: MAX_WAITING_PER_PROCESS + 6 }, () => verify(UNKNOWN_NETWORKS_SHARE));
    const outcomes = await Promise.allSettled([...calls, verify(1)]);
    const checked = outcomes.filter(({ status }) => status === 'fulfilled');
    // one running job, its share of the queue, and the known network
    expect([outcomes.at(-1)!.status, checked.length]).toEqual(['fulfilled', 1 + MAX_WAITING_PER_PROCESS * 0.75 + 1]);
  });
});
