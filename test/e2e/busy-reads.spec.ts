import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { SessionsService } from '../../src/auth/sessions.service.js';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { ConcurrencyLimiter } from '../../src/platform/http/load-shedding/concurrency-limiter.js';
import { useApp } from '../support/app.js';
import { RawClient } from '../support/raw-client.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';

const HOT = '/v1/feed?limit=5';

describe('a server without a free place', () => {
  const FRESH_MS = 30_000;
  const STALE_MS = 60_000;
  const STALE_IF_ERROR_MS = 60_000;
  const app = useApp({
    direct: 'nginx asks a server only once it has the whole body',
    env: {
      HTTP_MAX_IN_FLIGHT: '1',
      CACHE_FEED_TTL_MS: String(FRESH_MS),
      CACHE_STALE_MS: String(STALE_MS),
      CACHE_STALE_IF_ERROR_MS: String(STALE_IF_ERROR_MS),
    },
  });
  const { world } = app;
  let author: Person;
  let release: () => void;
  let held: Promise<unknown>;

  beforeAll(async () => {
    author = await world.person();
    await world.post({ by: author });
  });
  // A request that does not end takes the only slot.
  beforeEach(async () => {
    await untilRenewed();
    const gate = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(app.app.get(SessionsService), 'list').mockImplementation(async () => {
      await gate;
      return [];
    });
    held = app.client.get('/v1/auth/sessions', { token: author.token });
    await untilHeld(1);
  });
  afterEach(async () => {
    release();
    await held;
    jest.restoreAllMocks();
    await untilHeld(0);
  });

  const look = async (path = HOT, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await app.client.get(path, { headers });
    return `${answer.status} ${answer.headers.get('x-cache') ?? answer.body.code}`;
  };
  const untilRenewed = () => until(async () => ((await look()) === '200 HIT' ? true : null));
  const untilHeld = (places: number) =>
    until(() => (app.app.get(ConcurrencyLimiter).inFlight === places ? true : null));
  /** Moves the time of storage into the past. A pause of the machine is short compared with `ms`. */
  const age = (ms: number): void => {
    const entry = app.app.get(ResponseCache).store.getByUrl(HOT)!;
    for (const moment of ['freshUntil', 'staleUntil', 'errorUntil'] as const)
      Object.assign(entry, { [moment]: entry[moment] - ms });
  };

  it('renews a stale response repeatedly, while it refuses all other requests', async () => {
    for (let round = 0; round < 2; round++) {
      age(FRESH_MS);
      expect(await look('/v1/feed?limit=6')).toBe('503 overloaded');
      // This request renews the entry.
      expect(await look()).toBe('200 STALE');
      await untilRenewed();
    }
  });

  it('refuses a request for the same URL whose headers rule out a stored response', async () => {
    age(FRESH_MS);
    const special: Record<string, string>[] = [
      { authorization: 'Bearer x' },
      { 'if-match': '*' },
      { 'if-unmodified-since': 'Mon, 23 Nov 2026 11:00:00 GMT' },
    ];
    for (const headers of special) expect([headers, await look(HOT, headers)]).toEqual([headers, '503 overloaded']);
    expect((await app.client.request('POST', HOT)).status).toBe(503);
  });

  it('serves the last response to a request that would renew nothing', async () => {
    age(FRESH_MS);
    const head = () => app.client.request('HEAD', HOT);
    const { status, headers } = await head();
    expect([status, headers.get('x-cache')]).toEqual([200, 'STALE']);
    await sleep(200);
    // An admitted request would have made this a hit.
    expect((await head()).headers.get('x-cache')).toBe('STALE');
    const asked = { 'if-none-match': headers.get('etag')!, cookie: 'a=b', 'cache-control': 'no-cache' };
    const { status: renewal } = await app.client.get(HOT, { headers: asked });
    expect(renewal).toBe(304);
    await until(async () => ((await head()).headers.get('x-cache') === 'HIT' ? true : null));
  });

  it('serves the last response, marked as stale, for the stale-if-error time, and refuses after that', async () => {
    age(FRESH_MS + STALE_MS);
    const { status, headers } = await app.client.get(HOT);
    expect([status, headers.get('x-cache'), headers.get('warning')]).toEqual([
      ...[200, 'STALE', '111 - "Revalidation Failed"'],
    ]);
    expect(await look(HOT, { authorization: 'Bearer x' })).toBe('503 overloaded');
    age(STALE_IF_ERROR_MS);
    expect(await look()).toBe('503 overloaded');
  });

  it('does not serve the last response of deleted content', async () => {
    age(FRESH_MS + STALE_MS);
    app.app.get(ResponseCache).invalidateOnHost(['feed']);
    expect(await look()).toBe('503 overloaded');
  });
});

describe('reads that wait for their turn', () => {
  /** More reads than one iteration of the event loop can start on any machine. */
  const CONNECTIONS = 60;
  const EACH = 15;
  const app = useApp();
  const clients: RawClient[] = [];
  afterAll(() => clients.forEach(({ socket }) => socket.destroy()));

  /** Returns the Server-Timing of each response to concurrent requests. */
  async function burst(): Promise<string[]> {
    const sending = Array.from({ length: CONNECTIONS }, () => new RawClient(app.url));
    clients.push(...sending);
    await Promise.all(sending.map(({ socket }) => once(socket, 'connect')));
    const rawRequest = (): string => `GET /v1/posts/${new ObjectId().toHexString()} HTTP/1.1\r\nhost: x\r\n\r\n`;
    for (const client of sending) client.send(Array.from({ length: EACH }, rawRequest).join(''));
    // Blocks the event loop, so that one iteration receives more requests than it can start.
    for (const until = performance.now() + 50; performance.now() < until;);
    return until(() => {
      const answers = sending.flatMap((client) => client.answers());
      if (answers.length < CONNECTIONS * EACH) return null;
      // A request refused after a pause of the machine has no timing.
      return answers.flatMap(({ headers }) => /^server-timing: (.*)$/im.exec(headers)?.[1] ?? []);
    });
  }
  const isWait = (timing: string): boolean => timing.startsWith('queue;');

  it('report their waiting time, unlike other responses', async () => {
    const idle = await app.client.get('/v1/users/nobody_is_here');
    expect(idle.headers.get('server-timing')).not.toContain('queue');
    let timings = await burst();
    // On a busy machine the requests may arrive one after the other.
    for (let more = 4; more > 0 && !timings.some(isWait); more--) timings = await burst();
    const waited = timings.flatMap((timing) => {
      const [, queue, total] = /^queue;dur=(\d+\.\d), json;dur=\d+\.\d, total;dur=(\d+\.\d)$/.exec(timing) ?? [];
      return queue === undefined ? [] : [{ queue: Number(queue), total: Number(total) }];
    });
    expect(waited.length).toBeGreaterThan(0);
    expect(waited.length).toBeLessThan(timings.length);
    expect(Math.max(...waited.map(({ queue }) => queue))).toBeGreaterThan(0);
    expect(waited.filter(({ queue, total }) => total < queue)).toEqual([]);
    expect(
      timings.filter((timing) => !/^(queue;dur=\d+\.\d, )?json;dur=\d+\.\d, total;dur=\d+\.\d$/.test(timing)),
    ).toEqual([]);
  });
});
