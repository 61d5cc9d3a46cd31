import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppConfig } from '../../../config/app-config.js';
import { ENV_SCHEMA } from '../../../config/env.schema.js';
import { ConcurrencyLimiter, type ConcurrencyLimits } from './concurrency-limiter.js';
import { ResponseHeaders } from '../response-headers.js';

const HEADERS = new ResponseHeaders(new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40) })));
const PLAIN = { bypassesLimit: false, serveStaleOnError: () => false };
const WIDE = { maxInFlight: 1_000, maxWaitMs: 60_000, maxEventLoopDelayMs: 60_000, bodyLimitBytes: 1_000_000 };
const limiterOf = (limits: Partial<ConcurrencyLimits>): ConcurrencyLimiter =>
  new ConcurrencyLimiter({ ...WIDE, ...limits }, HEADERS);

describe('ConcurrencyLimiter', () => {
  let server: Server;
  let url: string;
  let held: ServerResponse[];
  let limiter: ConcurrencyLimiter;

  beforeEach(async () => {
    held = [];
    limiter = limiterOf({ maxInFlight: 3 });
    server = createServer((request, response) => {
      const next = (): void => {
        if (request.url === '/health/ready') response.end('ok');
        else held.push(response);
      };
      limiter.handle(request, response, next, PLAIN);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    limiter.onApplicationShutdown();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const begin = (limits: Partial<ConcurrencyLimits>): void => {
    limiter = limiterOf(limits);
    limiter.onApplicationBootstrap();
  };
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await sleep(10);
  };
  const untilInFlight = async (count: number): Promise<void> => {
    await until(() => limiter.inFlight === count);
    expect(limiter.inFlight).toBe(count);
  };
  const client = () => connect((server.address() as AddressInfo).port, '127.0.0.1');
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it('refuses with 503 and Retry-After above its limit, but no health check', async () => {
    const waiting = [1, 2, 3].map((id) => fetch(`${url}/${id}`));
    await untilInFlight(3);
    const refused = await fetch(`${url}/4`, { method: 'POST', body: 'x' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 'overloaded', status: 503 });
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    held.forEach((response) => response.end('done'));
    await Promise.all(waiting);
    await untilInFlight(0);
    const again = fetch(`${url}/5`);
    await untilInFlight(1);
    held.at(-1)!.end('done');
    expect((await again).status).toBe(200);
  });

  it('holds the slot of a disconnected client until the work is done', async () => {
    limiter.onApplicationBootstrap();
    const abort = new AbortController();
    const gone = fetch(`${url}/1`, { signal: abort.signal }).catch(() => undefined);
    await untilInFlight(1);
    abort.abort();
    await gone;
    await sleep(100);
    expect(limiter.inFlight).toBe(1);
    held[0]!.end('not read');
    await untilInFlight(0);
  });

  it('releases the pipelined requests of a connection that broke', async () => {
    limiter.onApplicationBootstrap();
    const breaking = client();
    breaking.write(get('/').repeat(3));
    await untilInFlight(3);
    held[1]!.end('answered before its turn');
    breaking.destroy();
    await untilInFlight(2);
    for (const at of [0, 2]) held[at]!.end('not read');
    await untilInFlight(0);
  });

  it('admits at most 16 requests of one connection', async () => {
    begin({ maxInFlight: 100 });
    const pipelining = client();
    pipelining.write(get('/').repeat(200));
    await untilInFlight(16);
    const other = fetch(url);
    await untilInFlight(17);
    held.at(-1)!.end('done');
    expect((await other).status).toBe(200);
    let text = '';
    pipelining.on('data', (chunk: Buffer) => (text += chunk.toString()));
    held.forEach((response) => response.end());
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    await until(() => statuses().length === 200);
    expect(statuses()).toEqual([...Array<string>(16).fill('200'), ...Array<string>(184).fill('503')]);
    expect(limiter.inFlight).toBe(0);
    pipelining.destroy();
  });

  it('counts health checks and urgent requests of a connection, too', async () => {
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      limiter.handle(request, response, () => held.push(response), {
        ...PLAIN,
        bypassesLimit: request.url === '/urgent',
      });
    });
    const pipelining = client();
    pipelining.write(get('/health/ready').repeat(10) + get('/urgent').repeat(10));
    await untilInFlight(16);
    await sleep(50);
    expect([held.length, limiter.shed]).toEqual([16, 4]);
    pipelining.destroy();
  });

  it('refuses while the event loop is late and many requests are in flight', async () => {
    begin({ maxInFlight: 40, maxEventLoopDelayMs: 100 });
    const waiting = Array.from({ length: 16 }, (_, id) => fetch(`${url}/${id}`));
    await untilInFlight(16);
    const spin = (): void => {
      for (const end = performance.now() + 300; performance.now() < end;);
    };
    for (let turn = 0; turn < 6; turn++) {
      spin();
      await sleep(1);
    }
    expect(limiter.eventLoopDelayMs).toBeGreaterThan(100);
    // Delays the event loop until the response is sent.
    const spinning = setInterval(spin, 1);
    const late = await fetch(`${url}/late`);
    clearInterval(spinning);
    expect(late.status).toBe(503);
    // With few requests in flight, another program uses the CPU.
    held.splice(0).forEach((response) => response.end('done'));
    await Promise.all(waiting);
    await untilInFlight(0);
    const alone = fetch(`${url}/alone`);
    await untilInFlight(1);
    held.at(-1)!.end('done');
    expect((await alone).status).toBe(200);
    await until(() => limiter.eventLoopDelayMs < 100);
  });

  /** Sends `each` concurrent writes on every connection. Reads would be queued. */
  const crowd = async (connections: number, each: number) => {
    const sockets = Array.from({ length: connections }, client);
    const texts = sockets.map(() => '');
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    sockets.forEach((socket, at) => socket.on('data', (chunk: Buffer) => (texts[at] += chunk.toString('latin1'))));
    return {
      send: () => {
        texts.fill('');
        for (const socket of sockets)
          socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'.repeat(each));
      },
      /** of all responses so far */
      statuses: () =>
        texts.flatMap((text) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))),
      leave: () => sockets.forEach((socket) => socket.destroy()),
    };
  };

  it('admits requests that it can serve in time, also after a pause of the database', async () => {
    begin({ maxWaitMs: 2_000 });
    const statusOfPost = async (): Promise<number> => (await fetch(url, { method: 'POST' })).status;
    // The limiter rejects no request before it has measured the throughput.
    expect(limiter.concurrencyLimit).toBe(1_000);
    const waiting = await crowd(60, 15);
    waiting.send();
    await untilInFlight(900);
    // Without responses, the limit decreases to its minimum.
    await sleep(1_300);
    expect(limiter.concurrencyLimit).toBe(100);
    expect(await statusOfPost()).toBe(503);
    // 250 responses a second
    const answering = setInterval(() => held.splice(0, 20).forEach((response) => response.end('done')), 80);
    await until(() => limiter.concurrencyLimit > 150 && limiter.inFlight < 150);
    const { concurrencyLimit } = limiter;
    expect(await statusOfPost()).toBe(200);
    await untilInFlight(0);
    clearInterval(answering);
    waiting.leave();
    expect(concurrencyLimit).toBeGreaterThan(150);
    expect(concurrencyLimit).toBeLessThan(900);
  });

  it('measures its rate also when all requests in flight complete together', async () => {
    begin({ maxWaitMs: 5_000 });
    const { send, statuses, leave } = await crowd(20, 10);
    send();
    await untilInFlight(200);
    await sleep(1_300);
    expect(limiter.concurrencyLimit).toBe(100);
    const answering = setInterval(() => held.splice(0).forEach((response) => response.end('done')), 60);
    await until(() => statuses().length === 200);
    let answers = [503];
    while (answers.includes(503)) {
      const { concurrencyLimit } = limiter;
      send();
      await until(() => statuses().length >= 200);
      if (concurrencyLimit >= 200) answers = statuses();
    }
    clearInterval(answering);
    leave();
    expect(answers).toEqual(Array<number>(200).fill(200));
  });
});
