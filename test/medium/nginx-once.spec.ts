import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Nginx } from '../support/nginx.js';
import { describeWith } from '../support/optional.js';
import { freePorts } from '../support/server-process.js';

/** Starts a host that resets each connection after reading the request if `breaks`, and responds otherwise. */
async function startHost(breaks: boolean): Promise<{ server: Server; url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    if (request.url !== '/health/live') seen.push(request.method!);
    if (breaks) request.socket.destroy();
    else response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function stopHost(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const PATH = '/v1/drafts/6650c3a2f1d2b3c4d5e6f70c';

describeWith('nginx', 'a request whose host breaks off', (binary) => {
  it.each([
    ['DELETE', ['DELETE']],
    ['POST', ['POST']],
    ['GET', ['GET', 'GET']],
  ])('%s reaches these hosts: %j', async (method, reached) => {
    const hosts = [await startHost(true), await startHost(true)];
    const nginx = new Nginx(binary, ...hosts.map(({ url }) => url));
    try {
      await nginx.start();

      const { status, headers } = await fetch(nginx.url + PATH, { method });

      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
      expect(hosts.flatMap(({ seen }) => seen)).toEqual(reached);
    } finally {
      await nginx.remove();
      await Promise.all(hosts.map(({ server }) => stopHost(server)));
    }
  });

  it('a DELETE that is repeated finds the host that can be reached', async () => {
    const [port] = await freePorts(1);
    const host = await startHost(false);
    const nginx = new Nginx(binary, `http://127.0.0.1:${port}`, host.url);
    try {
      await nginx.start();
      const ids = Array.from({ length: 8 }, (_, at) => `/v1/drafts/6650c3a2f1d2b3c4d5e6f70${at}`);
      for (const path of ids) {
        const first = await fetch(nginx.url + path, { method: 'DELETE' });
        const answered = first.status === 503 ? await fetch(nginx.url + path, { method: 'DELETE' }) : first;
        expect([path, answered.status]).toEqual([path, 200]);
      }
    } finally {
      await nginx.remove();
      await stopHost(host.server);
    }
  });
});
