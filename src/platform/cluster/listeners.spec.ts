import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Listeners } from './listeners.js';

/** The most connections of one turn, when 60 come at once. */
async function mostPerTurn(hasListeners: boolean): Promise<number> {
  const server = createServer((_request, response) => response.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const listeners = hasListeners ? new Listeners(server) : undefined;
  await listeners?.settled;
  let most = 0;
  let inTurn = 0;
  let all = 0;
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    all++;
    if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
    most = Math.max(most, inTurn);
  });
  const clients = Array.from({ length: 60 }, () => connect(port, '127.0.0.1'));
  for (const until = performance.now() + 10_000; all < 60 && performance.now() < until;) await sleep(5);
  expect(all).toBe(60);
  // they are connections of the server like any other
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('served');
  clients.forEach((client) => client.destroy());
  listeners?.close();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  return most;
}

describe('Listeners', () => {
  it('takes many connections in a turn of the event loop, where node takes one: a busy worker lets nobody wait at its door', async () => {
    expect(await mostPerTurn(false)).toBe(1);
    expect(await mostPerTurn(true)).toBeGreaterThanOrEqual(8);
  }, 40_000);

  // what another version of node may look like
  it.each([
    ['is gone', undefined],
    ['cannot listen', {}],
    ['cannot be sent to another process', { listen: () => 0, onconnection: () => undefined }],
  ])(
    'leaves the server as it is when the handle %s, and says that it takes one connection per turn',
    async (_, handle) => {
      const listeners = new Listeners({ _handle: handle } as unknown as Server);
      await listeners.settled;
      expect([listeners.perTurn, listeners.isComplete]).toEqual([1, false]);
      listeners.close();
    },
  );

  it('knows that it is complete, so that a server that is not can say so', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const listeners = new Listeners(server);
    await listeners.settled;
    expect([listeners.perTurn, listeners.isComplete]).toEqual([16, true]);
    listeners.close();
    server.close();
  });
});
