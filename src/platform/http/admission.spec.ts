import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { AdmissionControl } from './admission.js';

describe('AdmissionControl', () => {
  let server: Server;
  let url: string;
  let held: ServerResponse[];
  let admission: AdmissionControl;

  beforeEach(async () => {
    held = [];
    admission = new AdmissionControl({ maxInFlight: 3, maxWaitMs: 60_000, maxEventLoopDelayMs: 100 });
    server = createServer((request, response) => {
      admission.admit(request, response, () => {
        if (request.url === '/health/ready') response.end('ok');
        else held.push(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    admission.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
  const untilInFlight = async (count: number): Promise<void> => {
    for (const until = performance.now() + 3_000; admission.requestsInFlight !== count && performance.now() < until;)
      await settle();
    expect(admission.requestsInFlight).toBe(count);
  };

  it('refuses what is too much with a 503 that says when to come back, and lets health answers through', async () => {
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

  it('answers a refusal at once, and later to a connection that does not wait as it was told', async () => {
    const waiting = [1, 2, 3].map((id) => fetch(`${url}/${id}`));
    await untilInFlight(3);
    const waitsOf = async (times: number): Promise<number[]> => {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const waits: number[] = [];
      for (let turn = 0; turn < times; turn++) {
        const askedAt = performance.now();
        client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        const [answer] = (await once(client, 'data')) as [Buffer];
        expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
        waits.push(performance.now() - askedAt);
      }
      client.destroy();
      return waits;
    };
    const firsts: number[] = [];
    for (let client = 0; client < 3; client++) {
      const [first, ...others] = await waitsOf(3);
      firsts.push(first!);
      expect(Math.min(...others)).toBeGreaterThanOrEqual(49);
    }
    // one of three: a busy machine may be late by itself
    expect(Math.min(...firsts)).toBeLessThan(45);
    held.forEach((response) => response.end('done'));
    await Promise.all(waiting);
  });

  it('forgets a client that went away', async () => {
    const abort = new AbortController();
    const gone = fetch(`${url}/1`, { signal: abort.signal }).catch(() => undefined);
    await untilInFlight(1);
    abort.abort();
    await gone;
    // the work goes on: only its end gives the place back
    await settle();
    await settle();
    expect(admission.requestsInFlight).toBe(1);
    held[0]!.end('for nobody');
    await untilInFlight(0);
  });

  it('forgets all requests of a connection that broke, also those whose turn to be answered had not come', async () => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await untilInFlight(3);
    held[1]!.end('answered before its turn');
    client.destroy();
    await untilInFlight(2);
    for (const at of [0, 2]) held[at]!.end('for nobody');
    await untilInFlight(0);
  });

  it('does not let one connection hold every place by asking without reading', async () => {
    admission = new AdmissionControl({ maxInFlight: 100, maxWaitMs: 60_000, maxEventLoopDelayMs: 100 });
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    await untilInFlight(16);
    const other = fetch(url);
    await untilInFlight(17);
    held.at(-1)!.end('done');
    expect((await other).status).toBe(200);
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    held.forEach((response) => response.end());
    let statuses: (string | undefined)[] = [];
    for (const until = performance.now() + 5_000; statuses.length < 200 && performance.now() < until; await settle())
      statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses).toEqual([...Array<string>(16).fill('200'), ...Array<string>(184).fill('503')]);
    expect(admission.requestsInFlight).toBe(0);
    client.destroy();
  });

  it('lets one connection have no more of what is always let in', async () => {
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      admission.admit(request, response, () => held.push(response), request.url === '/urgent');
    });
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const text = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    client.write(text('/health/ready').repeat(10) + text('/urgent').repeat(10));
    await untilInFlight(16);
    await settle();
    expect([held.length, admission.counts.refused]).toEqual([16, 4]);
    client.destroy();
  });

  it('refuses while the event loop is late and work is under way, and stops refusing when it is not', async () => {
    admission = new AdmissionControl({ maxInFlight: 40, maxWaitMs: 60_000, maxEventLoopDelayMs: 100 });
    const waiting = Array.from({ length: 16 }, (_, id) => fetch(`${url}/${id}`));
    await untilInFlight(16);
    admission.start();
    for (let turn = 0; turn < 6; turn++) {
      const until = performance.now() + 300;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(admission.eventLoopDelayMs).toBeGreaterThan(100);
    expect((await fetch(`${url}/late`)).status).toBe(503);
    // nearly nothing under way: another program has the CPU, and whoever comes is served as well as that allows
    held.splice(0).forEach((response) => response.end('done'));
    await Promise.all(waiting);
    await untilInFlight(0);
    const alone = fetch(`${url}/alone`);
    await untilInFlight(1);
    held.at(-1)!.end('done');
    expect((await alone).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(admission.eventLoopDelayMs).toBeLessThan(100);
  });

  it('lets in what it can answer in time, and after a pause of the database all that it can again', async () => {
    admission = new AdmissionControl({ maxInFlight: 1_000, maxWaitMs: 500, maxEventLoopDelayMs: 60_000 });
    admission.start();
    let statuses: number[] = [];
    // writes, because reads would take turns
    const ask = (): Promise<unknown> => fetch(url, { method: 'POST' }).then(({ status }) => statuses.push(status));
    // nobody is turned away before it is known what can be done
    expect(admission.places).toBe(1_000);
    const first = Array.from({ length: 150 }, ask);
    await untilInFlight(150);
    // nothing is answered for a while: only the least number of places is left
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(admission.places).toBe(100);
    await ask();
    expect(statuses).toEqual([503]);
    // answers come again, several hundred a second: places for what is answered in half a second
    statuses = [];
    const answering = setInterval(() => held.splice(0, 20).forEach((response) => response.end('done')), 20);
    await Promise.all(first);
    const until = performance.now() + 2_500;
    while (performance.now() < until) {
      void ask();
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (admission.requestsInFlight < 90) for (let more = 0; more < 10; more++) void ask();
    }
    const { places } = admission;
    await untilInFlight(0);
    clearInterval(answering);
    expect(places).toBeGreaterThan(150);
    expect(places).toBeLessThan(900);
  });

  it('knows what it can answer in time also where answers come in groups, all that is under way at once', async () => {
    admission = new AdmissionControl({ maxInFlight: 1_000, maxWaitMs: 500, maxEventLoopDelayMs: 60_000 });
    admission.start();
    const askAll = (): Promise<number[]> =>
      Promise.all(Array.from({ length: 200 }, async () => (await fetch(url, { method: 'POST' })).status));
    const first = askAll();
    await untilInFlight(200);
    // so long nothing is answered that only the least number of places is left
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(admission.places).toBe(100);
    const answering = setInterval(() => held.splice(0).forEach((response) => response.end('done')), 60);
    await first;
    for (const until = performance.now() + 6_000; admission.places < 200 && performance.now() < until;) await askAll();
    expect(admission.places).toBeGreaterThanOrEqual(200);
    expect(await askAll()).toEqual(Array<number>(200).fill(200));
    clearInterval(answering);
  });
});
