import { ENV_SCHEMA } from './env.schema.js';

describe('HTTP_TRUSTED_PROXIES', () => {
  const faults = (text: string): string[] => {
    const parsed = ENV_SCHEMA.safeParse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), HTTP_TRUSTED_PROXIES: text });
    return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join());
  };

  it.each(['', '127.0.0.1', '10.0.0.0/8, fe80::1', 'loopback,linklocal,uniquelocal'])('takes %j', (text) =>
    expect(faults(text)).toEqual([]),
  );

  it.each(['nginx', 'all', 'off', '10.0.0.0/33', '10.0.0'])('refuses %j before anything starts', (text) =>
    expect(faults(text)).toEqual(['HTTP_TRUSTED_PROXIES']),
  );
});
