import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppConfig } from '../../../config/app-config.js';
import { ENV_SCHEMA } from '../../../config/env.schema.js';
import { until } from '../../../../test/support/until.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { ResponseHeaders } from '../response-headers.js';

const HEADERS = new ResponseHeaders(new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40) })));
const MAX = 5;
/** more than the kernel buffers for a client that does not read */
const BODY = Buffer.alloc(20_000_000);

describe('ConcurrencyLimiter, with slow clients', () => {
  let server: Server;
  let port: number;
  let limiter: ConcurrencyLimiter;
  let slow: Socket[];
  const held: ServerResponse[] = [];

  beforeEach(async () => {
    limiter = new ConcurrencyLimiter(
      { maxInFlight: MAX, maxWaitMs: 60_000, maxEventLoopDelayMs: 60_000, bodyLimitBytes: 1_000_000 },
      HEADERS,
    );
    limiter.onApplicationBootstrap();
    server = createServer((request, response) =>
      limiter.handle(request, response, () => held.push(response), {
        bypassesLimit: false,
        serveStaleOnError: () => false,
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    slow = Array.from({ length: MAX }, () => connect(port, '127.0.0.1').pause());
  });
  afterEach(async () => {
    limiter.onApplicationShutdown();
    for (const one of slow) one.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const untilInFlight = async (count: number): Promise<void> => {
    for (const end = performance.now() + 30_000; limiter.inFlight !== count && performance.now() < end;)
      await sleep(10);
    expect(limiter.inFlight).toBe(count);
  };
  /** Responds to all requests. A read in flight may still wait for its time slice. */
  const endAll = async (count: number, body: string | Buffer): Promise<void> => {
    await until(() => (held.length === count ? true : null));
    for (const response of held.splice(0)) response.end(body);
  };
  const answerSlow = async (clients: Socket[]): Promise<void> => {
    for (const one of clients) one.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await endAll(clients.length, BODY);
    await untilInFlight(0);
  };
  /** @returns the status of each response */
  const askAtOnce = async (count: number): Promise<number[]> => {
    const asked = Array.from({ length: count }, () => fetch(`http://127.0.0.1:${port}/`));
    await endAll(count, 'done');
    return (await Promise.all(asked)).map(({ status }) => status);
  };

  const status = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/`)).status;
  /** Expects a successful response within 30 s. */
  const expectServed = async (): Promise<void> => {
    const answering = setInterval(() => held.splice(0).forEach((response) => response.end('done')), 10);
    let last = 503;
    for (const end = performance.now() + 30_000; last === 503 && performance.now() < end;) last = await status();
    clearInterval(answering);
    expect(last).toBe(200);
  };

  it('free their slots for others', async () => {
    await answerSlow(slow.slice(0, MAX - 1));
    expect(await askAtOnce(MAX)).toEqual(Array(MAX).fill(200));
  });

  it('forgets the pipelined responses of a broken connection, for which node emits no event', async () => {
    for (const one of slow.slice(0, 3)) {
      one.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(MAX));
      await endAll(MAX, BODY);
      await untilInFlight(0);
      one.destroy();
      await expectServed();
    }
  });

  it('are cut, the slowest reader first, when they exceed the slots', async () => {
    await answerSlow(slow);
    slow.push(connect(port, '127.0.0.1').pause());
    await answerSlow(slow.slice(MAX));
    // A paused socket detects its end only when it reads.
    for (const one of slow) one.on('error', () => {}).resume();
    const received = await Promise.all(
      slow.map((one) => until(() => (one.bytesRead > BODY.length || one.destroyed ? one : null))),
    );
    expect(received.map(({ bytesRead }) => bytesRead > BODY.length)).toEqual([
      false,
      ...Array<boolean>(MAX).fill(true),
    ]);
    await expectServed();
  });

  it('hold no slot while their body is missing, and are cut, the longest waiting first, when they are too many', async () => {
    const senders: Socket[] = [];
    const sendHead = async (others: number): Promise<void> => {
      const sender = connect(port, '127.0.0.1').on('error', () => {});
      senders.push(sender);
      sender.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n');
      await untilInFlight(others + 1);
      await untilInFlight(others);
    };
    for (let at = 0; at < MAX; at++) await sendHead(0);
    // A request with a complete body counts, even if its client disconnects before the next poll.
    senders[1]!.write('ok');
    await untilInFlight(1);
    senders[2]!.write('ok');
    while (!held[2]!.req.complete) await new Promise((resolve) => setImmediate(resolve));
    senders[2]!.resetAndDestroy();
    await untilInFlight(2);
    await sleep(50);
    expect(limiter.inFlight).toBe(2);
    for (let more = 0; more < 3; more++) await sendHead(2);
    await until(() => (senders[0]!.destroyed ? true : null));
    expect(senders.map(({ destroyed }) => destroyed)).toEqual([true, false, true, false, false, false, false, false]);
    for (const response of held) response.end('done');
    await untilInFlight(0);
    for (const sender of senders) sender.destroy();
    held.length = 0;
  });

  it('emits `close` on the pipelined responses of a broken connection', async () => {
    const breaking = slow[0]!;
    breaking.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await until(() => (held.length === 3 ? true : null));
    const closed: number[] = [];
    held.splice(0).forEach((response, at) => {
      response.on('close', () => closed.push(at));
      // The third response has started and is queued in the pipeline.
      if (at === 2) response.write('a part');
    });
    await untilInFlight(2);
    breaking.destroy();
    await until(() => (closed.length === 3 ? true : null));
    await sleep(50);
    expect(closed.sort()).toEqual([0, 1, 2]);
  });
});
