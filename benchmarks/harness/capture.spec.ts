import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { exchange } from './capture.js';

describe('exchange', () => {
  let server: Server;
  /** Number of requests over each connection. */
  let asked: Map<Socket, number>;

  beforeEach(async () => {
    asked = new Map();
    server = createServer((request, response) => {
      const count = (asked.get(request.socket) ?? 0) + 1;
      asked.set(request.socket, count);
      // Simulates a connection that was closed while nothing was under way.
      if (count > 1) request.socket.destroy();
      else response.end('once');
    });
    // No pause of the machine ends a kept connection.
    server.keepAliveTimeout = 60_000;
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  it('retries over a new connection when a kept one is closed', async () => {
    for (let time = 1; time <= 3; time++) {
      expect((await exchange(url(), { method: 'GET', path: '/' })).body.toString()).toBe('once');
    }
    expect([...asked.values()]).toEqual([2, 2, 1]);
  });

  it('never repeats a request that changes something', async () => {
    await exchange(url(), { method: 'POST', path: '/' });
    await expect(exchange(url(), { method: 'POST', path: '/' })).rejects.toThrow('socket hang up');
    expect([...asked.values()]).toEqual([2]);
  });
});
