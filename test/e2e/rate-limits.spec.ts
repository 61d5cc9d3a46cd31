import { useApp } from '../support/app.js';

describe('rate limits', () => {
  const app = useApp({
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_READS_PER_MINUTE: '5',
    RATE_LIMIT_WRITES_PER_MINUTE: '3',
    RATE_LIMIT_AUTH_PER_MINUTE: '4',
    HTTP_TRUSTED_PROXIES: '127.0.0.1',
    CACHE_FEED_TTL_MS: '0',
  });
  const ask = (path: string, address: string, init: RequestInit = {}) =>
    fetch(`${app.url}${path}`, { ...init, headers: { 'x-forwarded-for': address, ...init.headers } });

  it('tell the client what is left, then refuse with the seconds to wait', async () => {
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
    // somebody else is not in the way
    expect((await ask('/v1/users?ids=64b000000000000000000001', '10.0.0.2')).status).toBe(200);
    // nor are writes limited by reads
    expect((await ask('/v1/posts', '10.0.0.1', { method: 'POST' })).status).toBe(401);
  });

  it('are not escaped by inventing tokens', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) {
      const headers = { authorization: `Bearer invented.${index}.token` };
      statuses.push((await ask('/v1/posts', '10.0.1.1', { method: 'POST', headers })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('are strict where passwords are guessed, and the same for known and unknown accounts', async () => {
    const login = (name: string, address: string) =>
      ask('/v1/auth/login', address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ login: name, password: 'wrong password' }),
      });
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await login(`nobody${index}`, '10.0.2.1')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429]);
    // one account from many addresses
    const spread: number[] = [];
    for (let index = 0; index < 4; index++) spread.push((await login('victim', `10.0.3.${index}`)).status);
    expect(spread).toEqual([401, 401, 401, 429]);
  });
});
