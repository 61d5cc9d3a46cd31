import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdmissionControl } from './admission.js';

describe('AdmissionControl', () => {
  let server: Server;
  let url: string;
  let held: ServerResponse[];
  let admission: AdmissionControl;

  beforeEach(async () => {
    held = [];
    admission = new AdmissionControl({ maxInFlight: 3, maxEventLoopDelayMs: 100 });
    server = createServer((request, response) => {
      if (admission.refuse(request, response)) return;
      if (request.url === '/health/ready') response.end('ok');
      else held.push(response);
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

  it('refuses what is too much with a 503 that says when to come back, and lets health answers through', async () => {
    const waiting = [1, 2, 3].map((id) => fetch(`${url}/${id}`));
    await settle();
    expect(admission.requestsInFlight).toBe(3);
    const refused = await fetch(`${url}/4`, { method: 'POST', body: 'x' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 'overloaded', status: 503 });
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    held.forEach((response) => response.end('done'));
    await Promise.all(waiting);
    await settle();
    expect(admission.requestsInFlight).toBe(0);
    const again = fetch(`${url}/5`);
    await settle();
    held.at(-1)!.end('done');
    expect((await again).status).toBe(200);
  });

  it('forgets a client that went away', async () => {
    const abort = new AbortController();
    const gone = fetch(`${url}/1`, { signal: abort.signal }).catch(() => undefined);
    await settle();
    expect(admission.requestsInFlight).toBe(1);
    abort.abort();
    await gone;
    await settle();
    expect(admission.requestsInFlight).toBe(0);
  });

  it('refuses while the event loop is late, and stops refusing when it is not', async () => {
    admission.start();
    for (let turn = 0; turn < 6; turn++) {
      const until = performance.now() + 300;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(admission.eventLoopDelayMs).toBeGreaterThan(100);
    expect((await fetch(`${url}/1`)).status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(admission.eventLoopDelayMs).toBeLessThan(100);
  });
});
