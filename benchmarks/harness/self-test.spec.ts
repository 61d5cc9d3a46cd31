import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runClosedLoop } from './closed-loop.js';
import { runOpenLoop } from './open-loop.js';
import type { ClosedLoopPlan, Measurement, PreparedRequest } from './load-plan.js';
import { Warmth } from './warmup.js';

const BURNT_MICROS = 3_000;

/** Burns a known amount of CPU time (not wall time) per request in a cluster worker, so that the tree below the pid must be read. */
const BURNING_SERVER = `
const cluster = require('node:cluster');
if (cluster.isPrimary) {
  cluster.fork().on('message', (port) => console.log(port));
  process.on('SIGTERM', () => process.exit(0));
} else {
  const server = require('node:http').createServer((request, response) => {
    const start = process.cpuUsage();
    for (let used = start; ; ) {
      used = process.cpuUsage(start);
      if (used.user + used.system >= ${BURNT_MICROS}) break;
    }
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'application/json' });
    response.end('{"data":[{"id":"a"}]}');
  }).listen(0, '127.0.0.1', () => process.send(server.address().port));
}`;

describe('the harness', () => {
  let server: ChildProcess;
  let url: string;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'opencanvas-burning-'));
    await writeFile(join(directory, 'server.cjs'), BURNING_SERVER);
    server = spawn(process.execPath, [join(directory, 'server.cjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
    url = `http://127.0.0.1:${line}`;
  });
  afterAll(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    await rm(directory, { recursive: true });
  });

  const plan = (request: Partial<PreparedRequest>) => ({
    url,
    serverPid: server.pid!,
    mongodPid: null,
    timeoutSeconds: 10,
    lanes: [[{ method: 'GET' as const, path: '/', expect: { status: 200, ids: ['a'] }, ...request }]],
  });
  const closed = { mode: 'closed' as const, connections: 4, pipelining: 1, warmupSeconds: 0.5, seconds: 3 };

  /** Measures a server of this process. */
  async function atServer(listener: RequestListener, load: Omit<ClosedLoopPlan, 'serverPid'>): Promise<Measurement> {
    const other = createServer(listener).listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const here = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const [measured] = await runClosedLoop({ ...load, url: here, serverPid: null }, () => {});
      return measured!;
    } finally {
      other.closeAllConnections();
      other.close();
    }
  }

  it('measures a known cost per request within 15 %', async () => {
    let closest = Infinity;
    let checked = 0;
    // The overhead of Node grows when other programs use its caches, so the closest of some attempts counts.
    for (let attempt = 0; attempt < 10 && closest > 0.15; attempt++) {
      const [measured] = await runClosedLoop({ ...plan({}), ...closed }, () => {});
      expect(measured).toMatchObject({ errors: 0, timeouts: 0, non2xx: 0, unexpected: 0 });
      checked += measured!.checkedBodies;
      closest = Math.min(closest, Math.abs(measured!.serverCpuMicros! / measured!.requests / BURNT_MICROS - 1));
    }
    expect(checked).toBeGreaterThan(0);
    expect(closest).toBeLessThan(0.15);
  });

  it('excludes a cold process from the window until it has served enough requests, or its time has passed', async () => {
    const brief = { ...closed, warmupSeconds: 0.1, seconds: 0.3 };
    const [warm] = await runClosedLoop(
      { ...plan({}), ...brief, longWarmup: { requests: 400, maxSeconds: 20 } },
      () => {},
    );
    expect(warm!.warmupRequests).toBeGreaterThanOrEqual(400);
    const [cut] = await runClosedLoop(
      { ...plan({}), ...brief, longWarmup: { requests: 1e6, maxSeconds: 0.5 } },
      () => {},
    );
    expect(cut!.warmupRequests).toBeGreaterThan(0);
    // 0.5 s and a check every 50 ms, at 3 ms a request.
    expect(cut!.warmupRequests).toBeLessThan(400);
  });

  it('gives the long warm-up once to each process, for each of its workers', () => {
    const warmth = new Warmth({ requestsPerProcess: 100, maxSeconds: 5 }, 4);
    const product = { kind: 'product', database: 'd' } as const;
    const longWarmup = { requests: 400, maxSeconds: 5 };
    expect(warmth.longWarmupOf(product, { url: 'http://a', pid: 1 })).toEqual(longWarmup);
    expect(warmth.longWarmupOf(product, { url: 'http://a', pid: 1 })).toBeNull();
    expect(warmth.longWarmupOf(product, { url: 'http://a', pid: 2 })).toEqual(longWarmup);
    expect(new Warmth(null, 4).longWarmupOf(product, { url: 'http://a', pid: 1 })).toBeNull();
  });

  it('detects a wrong status and a wrong body', async () => {
    const [missing] = await runClosedLoop({ ...plan({ path: '/missing' }), ...closed, seconds: 1 }, () => {});
    expect(missing!.unexpected).toBe(missing!.requests);
    expect(missing!.non2xx).toBe(missing!.requests);
    const [other] = await runClosedLoop(
      // With one connection every 32nd response is read, also on a busy machine.
      { ...plan({ expect: { status: 200, ids: ['b'] } }), ...closed, connections: 1, seconds: 2 },
      () => {},
    );
    expect(other!.unexpected).toBe(other!.checkedBodies);
    expect(other!.unexpectedExample).toContain('ids a instead of b');
  });

  it('waits for the first response of a server that stalls longer than the window: a slow result is valid, an empty one is not', async () => {
    const brief = { ...closed, warmupSeconds: 0, seconds: 0.1 };
    const stalling: RequestListener = (_request, response) => void setTimeout(() => response.end('{}'), 700);
    const measured = await atServer(stalling, { ...plan({ expect: { status: 200 } }), ...brief });
    expect(measured).toMatchObject({ errors: 0, timeouts: 0, unexpected: 0 });
    expect(measured.requests).toBeGreaterThan(0);
    expect(measured.seconds).toBeGreaterThan(0.5);
  });

  it('counts missing responses as errors, except after `Connection: close`', async () => {
    const brief = { ...plan({ expect: { status: 200 } }), ...closed, warmupSeconds: 0, seconds: 0.3 };
    let asked = 0;
    const silent = await atServer((request, response) => {
      if (++asked % 10 === 0) request.socket.end();
      else response.end('{}');
    }, brief);
    expect(silent.errors).toBeGreaterThan(0);
    expect(silent.unexpectedExample).toMatch(/^\d+ answers that never came/);
    const polite = await atServer((_request, response) => {
      response.shouldKeepAlive = ++asked % 10 !== 0;
      response.end('{}');
    }, brief);
    expect(polite).toMatchObject({ errors: 0, unexpectedExample: null });
  });

  it.each([1, 2, 5, 32, 70])('reads at most one body in 32 of a lane of %d', async (length) => {
    const [request] = plan({ expect: { status: 200 } }).lanes[0]!;
    const lanes = [Array.from({ length }, () => request!)];
    const brief = { ...plan({}), ...closed, connections: 1, warmupSeconds: 0, seconds: 0.2, lanes };
    const measured = await atServer((_request, response) => response.end('{}'), brief);
    expect(measured.checkedBodies).toBeGreaterThan(0);
    expect(measured.checkedBodies).toBeLessThanOrEqual(Math.ceil(measured.requests / 32));
  });

  it('charges an open loop from the intended time: a server at half the rate shows the queue', async () => {
    const rate = 2 * (1e6 / BURNT_MICROS);
    const [measured] = await runOpenLoop(
      {
        ...plan({}),
        // A busy machine gives the server a part of a core, which makes the queue of one second long.
        timeoutSeconds: 60,
        mode: 'open',
        requests: plan({}).lanes[0]!,
        maxSockets: 50,
        phases: [{ name: 'over', seconds: 1, fromPerSecond: rate, toPerSecond: rate, isTimed: true }],
      },
      () => {},
    );
    expect(measured!.requests).toBe(Math.round(rate));
    // The last request was due at second 1 and could not be sent before about second 2.
    expect(measured!.latencyMs.max).toBeGreaterThan(700);
  });
});
