import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectHttp2, constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { differences } from '../support/audit.js';
import {
  type Answer,
  type Asked,
  essence,
  overHttp1,
  overHttp2 as overHttp2At,
  settled,
} from '../support/http-ways.js';
import { Nginx } from '../support/nginx.js';
import { describeWith } from '../support/optional.js';
import { formOf } from '../support/pictures.js';
import { RawClient } from '../support/raw-client.js';
import { freePorts } from '../support/server-process.js';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { ChangedMinds } from './suite/changed-minds.js';

const POSTS = 60;
const CLIENTS = 200;
describeWith('nginx', 'behind a real nginx', (binary) => {
  const served = useServer({
    processes: 2,
    people: 60,
    posts: POSTS + 1,
    environment: { HTTP_TRUSTED_PROXIES: '127.0.0.1', CACHE_FEED_TTL_MS: '60000' },
  });
  let nginx: Nginx;
  let url: string;
  let postIds: readonly string[];

  beforeAll(() => {
    ({ url, postIds } = served);
    nginx = new Nginx(binary, url);
  });
  beforeEach(() => nginx.start());
  afterEach(() => nginx.stop());
  afterAll(() => nginx?.remove());

  const overHttp2 = (asked: Asked): Promise<Answer> => overHttp2At(nginx.tlsUrl, asked);
  const signed = (at: number, more: Record<string, string> = {}) => ({
    authorization: `Bearer ${served.tokens.of(served.people[at]!)}`,
    ...more,
  });
  const JSON_TYPE = { 'content-type': 'application/json' };

  it('responses are the same as without it, over HTTP/1.1 and HTTP/2', async () => {
    const post = `/v1/posts/${postIds[0]}`;
    const etag = String((await overHttp1(url, { method: 'GET', path: post })).headers['etag']);
    const asked: [Asked, number][] = [
      [{ method: 'GET', path: '/v1/feed?limit=3' }, 200],
      [{ method: 'GET', path: '/v1/feed?limit=3', headers: { 'accept-encoding': 'br' } }, 200],
      [{ method: 'GET', path: '/v1/feed?limit=50', headers: { 'accept-encoding': 'gzip' } }, 200],
      [{ method: 'GET', path: post, headers: { 'accept-encoding': 'br;q=0, gzip;q=0.5' } }, 200],
      [{ method: 'HEAD', path: post }, 200],
      [{ method: 'GET', path: post, headers: { 'if-none-match': etag } }, 304],
      [{ method: 'GET', path: `${post}/content`, headers: { 'accept-encoding': 'zstd' } }, 200],
      [{ method: 'GET', path: '/v1/posts/64b000000000000000000001' }, 404],
      [{ method: 'GET', path: '/v1/feed?limit=x' }, 400],
      [{ method: 'PUT', path: `${post}/vote`, headers: JSON_TYPE, body: '{"value":"like"}' }, 401],
      [{ method: 'PUT', path: `${post}/vote`, headers: signed(1, JSON_TYPE), body: '{"value":"like"}' }, 200],
      [{ method: 'DELETE', path: `${post}/vote`, headers: signed(1) }, 200],
      [{ method: 'POST', path: `${post}/comments`, headers: signed(1, JSON_TYPE), body: '{"content":""}' }, 400],
      [
        {
          method: 'PATCH',
          path: post,
          headers: signed(0, { ...JSON_TYPE, 'if-match': '"0-0"' }),
          body: '{"title":"Other"}',
        },
        412,
      ],
      [{ method: 'PUT', path: '/v1/feed', headers: signed(1) }, 405],
    ];
    for (const [each, status] of asked) {
      const direct = await settled(url, each);
      expect([each.path, direct.status]).toEqual([each.path, status]);
      expect(essence(await overHttp1(nginx.url, each))).toEqual(direct);
      expect(essence(await overHttp2(each))).toEqual(direct);
    }
  });

  it('writes its own refusals in the format of every other error', async () => {
    const problem = (answer: Answer): unknown[] => {
      const { status, code, type, requestId } = JSON.parse(answer.body) as Record<string, unknown>;
      expect(answer.headers).toMatchObject({
        'content-type': 'application/problem+json; charset=utf-8',
        'x-request-id': requestId,
      });
      return [answer.status, status, code, type];
    };
    const is = (status: number, code: string): unknown[] => [status, status, code, `urn:opencanvas:problem:${code}`];
    const large = { method: 'POST', path: '/v1/posts', headers: signed(1, JSON_TYPE), body: ' '.repeat(2_700_000) };
    for (const ask of [(one: Asked) => overHttp1(nginx.url, one), overHttp2])
      expect(problem(await ask(large))).toEqual(is(413, 'body_too_large'));
    const get = (path: string, headers = {}): Asked => ({ method: 'GET', path, headers });
    for (const ask of [(one: Asked) => overHttp1(nginx.url, one), overHttp2]) {
      expect(problem(await ask(get('/metrics')))).toEqual(is(404, 'not_found'));
      expect(problem(await ask(get('/v1/users/%00')))).toEqual(is(400, 'malformed_request'));
      expect(problem(await ask({ method: 'TRACE', path: '/v1/feed' }))).toEqual(is(405, 'method_not_allowed'));
    }
    expect(problem(await overHttp1(nginx.url, get(`/${'x'.repeat(10_000)}`)))).toEqual(is(414, 'uri_too_long'));
    const heavy = get('/v1/feed', { 'x-heavy': 'x'.repeat(10_000) });
    expect(problem(await overHttp1(nginx.url, heavy))).toEqual(is(431, 'headers_too_large'));

    const guesses = [
      ['POST', '/v1/auth/login'],
      ['POST', '/v1/auth/tokens'],
      ['PUT', '/v1/auth/password-reset'],
      ['DELETE', '/v1/users/me'],
      ['GET', '/v1/auth/oidc/none/start'],
    ].map(([method, path], at) => ({ method, path, address: `127.0.0.${at + 2}` }) as const);
    for (const { method, path, address } of guesses) {
      const guess = { method: method!, path: path!, headers: JSON_TYPE, body: '{}' };
      const answers = await Promise.all(Array.from({ length: 60 }, () => overHttp1(nginx.url, guess, address)));
      const refused = answers.filter(({ headers }) => headers['retry-after'] === '2' && !('ratelimit' in headers));
      expect([guess.path, refused.length > 10]).toEqual([guess.path, true]);
      expect(problem(refused[0]!)).toEqual(is(429, 'rate_limited'));
      // A client that guesses no password is not limited.
      expect((await overHttp1(nginx.url, get('/v1/feed'), address)).status).toBe(200);
    }

    await nginx.stop();
    const alone = new Nginx(binary, `http://127.0.0.1:${(await freePorts(1))[0]}`);
    try {
      await alone.start();
      for (const method of ['GET', 'PUT']) {
        const asked = { method, path: `/v1/posts/${postIds[0]}/vote`, headers: { 'x-request-id': 'mine-1' } };
        const answer = await overHttp1(alone.url, asked);
        expect(problem(answer)).toEqual(is(503, 'overloaded'));
        expect(answer.headers).toMatchObject({ 'retry-after': '2', 'x-request-id': 'mine-1' });
      }
    } finally {
      await alone.remove();
    }
  });

  it('passes an archive on that is larger than other bodies', async () => {
    const { body, headers } = formOf({ bytes: Buffer.from(`---\ntitle: a\n---\n${'text '.repeat(600_000)}`) });
    const upload = { method: 'POST', path: '/v1/users/me/imports', body: body.toString() };

    expect((await overHttp2({ ...upload, headers: signed(2, headers) })).status).toBe(202);
  });

  it('crashed workers do not disable their host: its other workers respond', async () => {
    // A crashing worker breaks its connections like this.
    const hosts = [0, 1].map(() =>
      createServer((asked, answer) => (asked.url === '/dies' ? asked.socket.destroy() : answer.end('here'))),
    );
    for (const host of hosts) await once(host.listen(0, '127.0.0.1'), 'listening');
    const of = new Nginx(binary, ...hosts.map((host) => `http://127.0.0.1:${(host.address() as AddressInfo).port}`));
    try {
      await of.start();
      const get = (path: string): Promise<Answer> => overHttp1(of.url, { method: 'GET', path });
      for (let times = 0; times < 5; times++) expect((await get('/dies')).status).toBe(503);
      for (let place = 0; place < 20; place++) expect((await get(`/${place}`)).body).toBe('here');
    } finally {
      await of.remove();
      for (const host of hosts) host.close().closeAllConnections();
    }
  });

  it('a comment that is sent again with its key is written once, over any protocol', async () => {
    const path = `/v1/posts/${postIds[1]}/comments`;
    const headers = signed(1, { ...JSON_TYPE, 'idempotency-key': 'through-nginx' });
    const asked = { method: 'POST', path, headers, body: '{"content":"Once."}' };
    const answers = [await overHttp2(asked), await overHttp1(nginx.url, asked), await overHttp1(url, asked)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true', 'true']);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  it('a client is identified by its address, not by that of nginx or a forged one', async () => {
    const isCounted = async (address: string, headers = {}): Promise<unknown> => {
      const path = `/v1/posts/${postIds[2]}/events`;
      const view = { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body: '{"kind":"view"}' };
      return JSON.parse((await overHttp1(nginx.url, view, address)).body);
    };
    expect(await isCounted('127.0.0.2')).toEqual({ counted: true });
    expect(await isCounted('127.0.0.2', { 'x-forwarded-for': '10.9.8.7' })).toEqual({ counted: false });
    expect(await isCounted('127.7.0.3')).toEqual({ counted: true });
  });

  describe('a write whose client leaves while its process is frozen', () => {
    const dropped = async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^opencanvas_group_commit_total\{group="interactions",what="gone"\} (\d+)/m.exec(text)![1]);
    };
    const path = (): string => `/v1/posts/${postIds[POSTS]}/save`;
    const isSaved = async (at: number): Promise<boolean> => {
      const filter = { userId: new ObjectId(served.people[at]!.id), targetId: new ObjectId(postIds[POSTS]!) };
      return (await served.db.collection('interactions').findOne(filter)) !== null;
    };
    /** Waits until the frozen server has a connection in this state with an unread request. */
    const untilUnread = (state: 'ESTABLISHED' | 'CLOSE_WAIT') =>
      until(() => unreadConnections(Number(new URL(url).port))[state] || null);
    const whileFrozen = async (act: () => Promise<void>): Promise<void> => {
      const pids = served.host.workers('web');
      pids.forEach((pid) => process.kill(pid, 'SIGSTOP'));
      await act().finally(() => pids.forEach((pid) => process.kill(pid, 'SIGCONT')));
    };
    const closes = async (at: number): Promise<void> => {
      const { authorization } = signed(at);
      const client = new RawClient(nginx.url);
      client.send(`PUT ${path()} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 0\r\n\r\n`);
      await untilUnread('ESTABLISHED');
      client.socket.destroy();
    };
    const resets = async (at: number): Promise<void> => {
      const session = connectHttp2(nginx.tlsUrl, { rejectUnauthorized: false });
      const stream = session.request({ ...signed(at), ':method': 'PUT', ':path': path() });
      stream.on('error', () => undefined);
      stream.end();
      await untilUnread('ESTABLISHED');
      stream.close(constants.NGHTTP2_CANCEL);
      await untilUnread('CLOSE_WAIT');
      session.destroy();
    };

    it.each([
      ['closes its connection', closes, 2],
      ['resets its stream', resets, 3],
    ])('is dropped: nginx closes its connection to the server when the client %s', async (_how, leave, at) => {
      const before = await dropped();
      await whileFrozen(async () => {
        await leave(at);
        await untilUnread('CLOSE_WAIT');
      });
      await until(async () => (await dropped()) === before + 1 || null);
      expect(await isSaved(at)).toBe(false);
    });

    it('is carried out where nginx ignores the disconnect of its client', async () => {
      await nginx.stop();
      await nginx.start({ proxy_ignore_client_abort: 'on' });
      await whileFrozen(() => closes(4));
      await until(async () => (await isSaved(4)) || null);
    });
  });

  it.each([
    ['the client gives up', {}, 1_000],
    ['nginx gives up', { proxy_read_timeout: '1s' }, 10_000],
  ])(
    'the last acknowledged change is never undone, where %s before a frozen worker',
    async (_who, directives, confirmTimeoutMs) => {
      await nginx.stop();
      await nginx.start({ ...directives, keepalive: '512' });
      const minds = new ChangedMinds(
        nginx.url,
        served.tokens,
        served.people,
        postIds.slice(0, POSTS),
        confirmTimeoutMs,
      );
      for (let round = 0; round < 6 && minds.givenUp < 250; round++) {
        await minds.round(CLIENTS, () => {
          const workers = served.host.workers('web').sort();
          const pid = workers[round % workers.length]!;
          process.kill(pid, 'SIGSTOP');
          const over = sleep([4_000, 3_000][round % 2]).then(() => void process.kill(pid, 'SIGCONT'));
          return { over };
        });
      }
      await sleep(1_500);
      const undone = await minds.undone(served.db);
      console.log(`${minds.givenUp} given up, ${undone.length} undone`);
      expect(minds.givenUp).toBeGreaterThan(50);
      expect(undone.slice(0, 10)).toEqual([]);
      expect(await differences(served.db)).toEqual([]);
    },
  );
});

/** Counts connections to the port with unread bytes, by state. */
function unreadConnections(port: number): { ESTABLISHED: number; CLOSE_WAIT: number } {
  const states = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = '', , , queues = '']) => local.endsWith(`:${hex(port, 4)}`) && !queues.endsWith(`:${hex(0, 8)}`),
    )
    .map(([, , , state]) => state);
  const count = (state: string) => states.filter((one) => one === state).length;
  return { ESTABLISHED: count('01'), CLOSE_WAIT: count('08') };
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
