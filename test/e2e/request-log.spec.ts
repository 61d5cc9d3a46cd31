import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CachedResponseListener } from '../../src/platform/cache/cached-response.listener.js';
import { useApp } from '../support/app.js';
import { until } from '../support/until.js';

const OWN_LOG = 'the spec reads the log of its own process';
const NEVER_SLOW = { LOG_SLOW_REQUEST_MS: '600000' };

type Fields = { requestId?: string; method: string; route: string; status: number; ms: number };
type Level = 'log' | 'warn' | 'error' | 'debug';
const LEVELS: Level[] = ['log', 'warn', 'error', 'debug'];

/** Records what the application logs in a test. */
function useLog() {
  let calls: { level: Level; message: string; fields: Fields }[] = [];
  beforeEach(() => {
    calls = [];
    for (const level of LEVELS)
      jest.spyOn(Logger.prototype, level).mockImplementation((...[message, fields]: unknown[]) => {
        calls.push({ level, message: String(message), fields: Object(fields) as Fields });
      });
  });
  afterEach(() => jest.restoreAllMocks());
  return {
    lineOf: (id: string, level?: Level) =>
      until(
        () => calls.find(({ fields, level: of }) => fields.requestId === id && of === (level ?? of)) ?? null,
        () => JSON.stringify(calls),
      ),
    text: () => JSON.stringify(calls),
    count: () => calls.filter(({ fields }) => fields.route !== undefined).length,
  };
}

describe('the log of requests, with a share', () => {
  const app = useApp({ direct: OWN_LOG, env: { LOG_REQUESTS: '1', ...NEVER_SLOW } });
  const log = useLog();
  const get = (url: string, id: string, more: Record<string, string> = {}) =>
    app.client.get(url, { headers: { 'x-request-id': id, ...more } });

  it('has the route of a request, not its URL', async () => {
    await get('/v1/users/unknown_account?secret=1', 'asked-1');

    const { level, message, fields } = await log.lineOf('asked-1');

    expect(level).toBe('log');
    expect(message).toMatch(/^GET \/v1\/users\/:username 400 \d+\.\d ms$/);
    const ms = expect.any(Number) as number;
    expect(fields).toEqual({ requestId: 'asked-1', method: 'GET', route: '/v1/users/:username', status: 400, ms });
    expect(log.text()).not.toMatch(/unknown_account|secret|127\.0\.0\.1/);
  });

  it('has cache hits', async () => {
    const { headers } = await get('/v1/feed?limit=2', 'asked-2');
    expect((await get('/v1/feed?limit=2', 'asked-3')).headers.get('x-cache')).toBe('HIT');
    await get('/v1/feed?limit=2', 'asked-4', { 'if-none-match': headers.get('etag')! });

    for (const [id, status] of [
      ['asked-2', 200],
      ['asked-3', 200],
      ['asked-4', 304],
    ] as const)
      expect((await log.lineOf(id)).fields).toMatchObject({ method: 'GET', route: '/v1/feed', status });
  });

  it('warns of a failed request, and names neither its URL nor its query in the line of the error', async () => {
    // The server would not write this invalid row.
    await app.db.collection('users').insertOne({ username: 'broken_row', deletedAt: null });
    expect((await get('/v1/users/broken_row', 'asked-5')).status).toBe(500);

    expect((await log.lineOf('asked-5', 'warn')).fields).toMatchObject({ route: '/v1/users/:username', status: 500 });
    expect((await log.lineOf('asked-5', 'error')).message).toMatch(/^GET \/v1\/users\/:username: /);
    expect(log.text()).not.toContain('broken_row');
  });
});

describe('the log of requests without a share', () => {
  const app = useApp({ direct: OWN_LOG, env: NEVER_SLOW });
  const log = useLog();

  it('has no line, and hits run no code of the log', async () => {
    await app.client.get('/v1/feed?limit=2');
    await app.client.get('/v1/feed?limit=2');

    expect(log.count()).toBe(0);
    expect(app.app.get(CachedResponseListener).constructor).toBe(CachedResponseListener);
  });
});

describe('the log of slow requests', () => {
  const app = useApp({ direct: OWN_LOG, env: { LOG_SLOW_REQUEST_MS: '1' } });
  const log = useLog();

  it('warns of each', async () => {
    // hashes a password, which takes longer
    const body = { login: 'unknown_account', password: 'a wrong password' };
    await app.client.post('/v1/auth/login', { body, headers: { 'x-request-id': 'asked-6' } });

    const { level, fields } = await log.lineOf('asked-6');

    expect([level, fields.route, fields.status]).toEqual(['warn', '/v1/auth/login', 401]);
    expect(log.text()).not.toContain('unknown_account');
  });
});
