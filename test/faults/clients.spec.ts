import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, RawClient } from '../support/raw-client.js';
import { publish, residentMb, useServer } from '../support/server.js';
import { until } from '../support/until.js';

const HEADERS_TIMEOUT_MS = 600;
const REQUEST_TIMEOUT_MS = 1_500;
const KEEP_ALIVE_TIMEOUT_MS = 800;
const SEND_TIMEOUT_MS = 1_500;

const get = (path: string, extra = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${extra}\r\n`;

/** A URL that the response cache serves. */
const HOT = '/v1/feed?limit=3';

describe('slow and hostile clients', () => {
  const served = useServer({
    environment: {
      HTTP_HEADERS_TIMEOUT_MS: String(HEADERS_TIMEOUT_MS),
      HTTP_REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
      HTTP_KEEP_ALIVE_TIMEOUT_MS: String(KEEP_ALIVE_TIMEOUT_MS),
      HTTP_MAX_CONNECTIONS_PER_ADDRESS: '300',
      HTTP_BODY_LIMIT_BYTES: '4096',
    },
  });
  beforeAll(async () => {
    await publish(served);
    for (let turn = 0; turn < 3; turn++) await served.client.get(HOT);
    expect((await served.client.get(HOT)).headers.get('x-cache')).toBe('HIT');
  });
  // After every attack the server responds to the next client.
  afterEach(async () => {
    expect((await served.client.get(HOT)).status).toBe(200);
    expect((await served.client.get('/health/ready')).status).toBe(200);
  });

  const expectProblem = (answer: { status: number; headers: string; body: string } | undefined, code: string): void => {
    expect(answer?.headers).toMatch(/content-type: application\/problem\+json/i);
    expect(JSON.parse(answer!.body)).toMatchObject({ status: answer!.status, code });
  };

  it('closes a connection with a slow head with 408', async () => {
    const client = new RawClient(served.url).send('GET /v1/feed HTTP/1.1\r\nHost: x\r\n');
    const trickle = setInterval(() => client.send('X-A: b\r\n'), 100);
    await client.closed;
    clearInterval(trickle);
    expectProblem(client.answers()[0], 'request_timeout');
    expect(client.answers()[0]?.status).toBe(408);
  });

  it('does the same for the second request of a connection whose first was a cache hit', async () => {
    const client = new RawClient(served.url).send(`${get(HOT)}GET /v1/fe`);
    await client.closed;
    expect(client.answers().map(({ status }) => status)).toEqual([200, 408]);
  });

  it('closes a connection that never sends anything', async () => {
    const client = new RawClient(served.url);
    await client.closed;
    expect(client.answers().filter(({ status }) => status !== 408)).toEqual([]);
  });

  it.each(['', `Authorization: Bearer x\r\n`])('ends a body that trickles in with 408 (%j)', async (extra) => {
    const head = `POST /v1/posts HTTP/1.1\r\nHost: x\r\n${extra}Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{`;
    const client = new RawClient(served.url).send(head);
    const trickle = setInterval(() => client.send(' '), 100);
    await client.closed;
    clearInterval(trickle);
    // An unauthorized client gets its response at once, before the rest of the body arrives.
    expect([401, 408]).toContain(client.answers()[0]?.status);
  });

  it('does not wait for the slow body of a public or signed-in write either', async () => {
    for (const head of [
      'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\n',
      `POST /v1/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${served.author.token}\r\n`,
      // The cache passes a GET with a body on to the framework.
      `GET ${HOT} HTTP/1.1\r\nHost: x\r\n`,
    ]) {
      const client = new RawClient(served.url);
      client.send(`${head}Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{`);
      await client.closed;
      // A request that needs no body gets its response before the body.
      expect([200, 401, 408]).toContain(client.answers()[0]?.status);
    }
  });

  const startUpload = (size: number): RawClient => {
    const type = 'multipart/form-data; boundary=b';
    const head = `POST /v1/users/me/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${served.author.token}\r\n`;
    return new RawClient(served.url).send(`${head}Content-Type: ${type}\r\nContent-Length: ${size}\r\n\r\n`);
  };
  const FILE = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\n---\ntitle: a\n---\n';

  it('lets an upload take longer than other requests while it arrives', async () => {
    const parts = [FILE, ...Array<string>(40).fill('text '.repeat(10_000)), '\r\n--b--\r\n'];
    const client = startUpload(parts.join('').length);
    for (const part of parts) {
      client.send(part);
      await sleep(100);
    }
    await until(() => client.answers()[0] ?? null);

    expect(client.answers()[0]?.status).toBe(202);
    client.socket.destroy();
  });

  it.each(['', ' '])('ends an upload that stalls or trickles in with 408 (%j)', async (rest) => {
    const client = startUpload(1_000_000).send(FILE);
    const trickle = setInterval(() => client.send(rest), 100);
    await client.closed;
    clearInterval(trickle);

    expectProblem(client.answers()[0], 'request_timeout');
  });

  it('closes an idle keep-alive connection, after a cache hit and after others', async () => {
    for (const path of [HOT, '/health/live']) {
      const { answers } = await exchange(served.url, get(path));
      expect(answers.map(({ status }) => status)).toEqual([200]);
    }
  });

  it('refuses an oversized head with 431', async () => {
    for (const path of [HOT, '/v1/posts/mine']) {
      const { answers } = await exchange(served.url, get(path, `X-Big: ${'a'.repeat(40_000)}\r\n`));
      expect(answers.map(({ status }) => status)).toEqual([431]);
      expectProblem(answers[0], 'headers_too_large');
    }
  });

  it('refuses an oversized body with 413, announced or chunked', async () => {
    const { token } = served.author;
    const big = JSON.stringify({ title: 'x'.repeat(5_000) });
    const announced = await served.client.post('/v1/posts', { token, body: big });
    expect([announced.status, announced.body.code]).toEqual([413, 'body_too_large']);
    const head = `POST /v1/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const chunk = `1000\r\n${'a'.repeat(0x1000)}\r\n`;
    const { answers } = await exchange(
      served.url,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}0\r\n\r\n`,
    );
    expect(answers[0]?.status).toBe(413);
    expectProblem(answers[0], 'body_too_large');
  });

  it('refuses deep and wide JSON, also when it contains only brackets', async () => {
    const { token } = served.author;
    for (const body of [
      '['.repeat(1_500) + ']'.repeat(1_500),
      '{"a":'.repeat(600) + '1' + '}'.repeat(600),
      `{"tags":[${'"a",'.repeat(500)}"a"]}`,
      '['.repeat(4_000),
      '{"__proto__":{"role":"admin"}}',
    ]) {
      const answer = await served.client.post('/v1/posts', { token, body });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        400,
        expect.stringMatching(/problem\+json/),
      ]);
    }
  });

  it('refuses an address of 10 kB with 414', async () => {
    for (const path of [`/v1/feed?tag=${'a'.repeat(10_000)}`, `/v1/posts/${'a'.repeat(10_000)}`]) {
      const answer = await served.client.get(path);
      expect([answer.status, answer.body.code]).toEqual([414, 'uri_too_long']);
      // Scripts of a page may read the reason.
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it.each([
    ['noise', 'hello there\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'FROBNICATE / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two lengths', 'POST /v1/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12'],
    [
      'a length and chunks',
      'POST /v1/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a bad chunk',
      'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a header with a zero byte', 'GET / HTTP/1.1\r\nHost: x\r\nA: \0b\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
  ])('answers %s with a clean 400 and the end', async (_name, text) => {
    const { answers } = await exchange(served.url, text);
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expectProblem(answers[0], 'malformed_request');
  });

  it('responds to unknown methods with a 4xx', async () => {
    for (const method of ['PROPFIND', 'TRACE', 'PURGE', 'M-SEARCH', 'LINK', 'OPTIONS']) {
      const { answers } = await exchange(
        served.url,
        `${method} /v1/posts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(answers).toHaveLength(1);
      expect([method, answers[0]!.status]).toEqual([method, expect.any(Number)]);
      expect(answers[0]!.status).toBeLessThan(500);
    }
    const { answers } = await exchange(served.url, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n');
    expect(answers[0]?.status).toBe(405);
    expectProblem(answers[0], 'method_not_allowed');
  });

  it('keeps running when a client resets the connection of its CONNECT', async () => {
    // A single worker would stop the server with it.
    for (let turn = 0; turn < 20; turn++) {
      const client = new RawClient(served.url);
      client.socket.write('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n');
      await sleep(20);
      client.socket.resetAndDestroy();
    }
    await sleep(200);
    expect((await served.client.get(HOT)).status).toBe(200);
  });

  it('responds to each complete request before pipelined garbage', async () => {
    // Both requests are in flight when the server reads the garbage.
    const pending = get('/v1/feed?limit=2&sort=latest') + get('/v1/feed?limit=4&sort=latest');
    const { answers } = await exchange(served.url, `${get(HOT)}${pending}garbage\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400]);
    expect((JSON.parse(answers[0]!.body) as { data: unknown[] }).data).toHaveLength(1);
    expectProblem(answers[3], 'malformed_request');
  });

  it('closes half-open sockets', async () => {
    const clients = Array.from({ length: 50 }, (_, at) => {
      const client = new RawClient(served.url, { allowHalfOpen: true });
      // The client sends something or nothing, shuts its half and never closes.
      client.socket.end(at % 2 === 0 ? '' : 'GET /v1/feed HTTP/1.1\r\nHo');
      return client;
    });
    const endedAt = await Promise.all(
      clients.map(
        (client) => new Promise<number>((resolve) => client.socket.once('end', () => resolve(performance.now()))),
      ),
    );
    expect(endedAt).toHaveLength(50);
    clients.forEach((client) => client.socket.destroy());
  });

  it('limits the connections of one address, and frees closed ones', async () => {
    const clients = Array.from({ length: 320 }, () => new RawClient(served.url));
    const open = (): number => clients.filter(({ socket }) => !socket.destroyed).length;
    await until(() => open() <= 300 || null);
    expect(open()).toBeGreaterThan(200);
    clients.forEach(({ socket }) => socket.destroy());
    await Promise.all(clients.map(({ closed }) => closed));
    await until(async () => (await served.client.get(HOT).catch(() => null))?.status === 200 || null);
  });
});

describe('clients that request much and read nothing', () => {
  const served = useServer({ environment: { HTTP_SEND_TIMEOUT_MS: String(SEND_TIMEOUT_MS) } });
  const PAGE = '/v1/feed?limit=100';
  const REQUESTS = 400;
  let large: string;

  beforeAll(async () => {
    for (let at = 0; at < 100; at++) await publish(served, { content: 'Just as the loom weaves flowers. '.repeat(40) });
    large = `/v1/posts/${(await publish(served, { content: '織'.repeat(199_000) })).id}`;
    for (let turn = 0; turn < 3; turn++) await served.client.get(PAGE);
  });

  const cut = async (): Promise<number> => {
    const text = String((await served.client.get('/metrics')).body);
    return Number(/^opencanvas_connections_closed_total\{why="cut"\} (\d+)/m.exec(text)?.[1] ?? NaN);
  };

  it.each([
    // The server sends the same bytes each time.
    { what: 'cache hits', clients: 40, isPrivate: false },
    // The server computes each response, which is larger than a socket accepts at a time.
    { what: 'private answers', clients: 8, isPrivate: true },
  ])('are cut, cost bounded memory and take no place from others: $what', async ({ clients, isPrivate }) => {
    const { token } = served.author;
    const before = residentMb(served.host.pid);
    const cutBefore = await cut();
    const request = isPrivate ? get(large, `Authorization: Bearer ${token}\r\n`) : get(PAGE);
    const opened = Array.from({ length: clients }, () => {
      const client = new RawClient(served.url);
      client.socket.pause();
      return client.send(request.repeat(REQUESTS));
    });
    let peak = before;
    // The busier the machine, the longer the last client takes to fill the buffers of the kernel.
    await until(async () => {
      expect((await served.client.get('/v1/posts/mine?limit=1', { token })).status).toBe(200);
      peak = Math.max(peak, residentMb(served.host.pid));
      return (await cut()) - cutBefore >= clients || null;
    });
    opened.forEach(({ socket }) => socket.destroy());
    console.log(`${clients} clients, ${REQUESTS} unread: ${before.toFixed(0)} MB, at most ${peak.toFixed(0)} MB`);
    expect((await cut()) - cutBefore).toBe(clients);
    expect(peak - before).toBeLessThan(400);
  });
});
