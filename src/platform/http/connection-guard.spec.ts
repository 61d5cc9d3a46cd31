import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionGuard } from './connection-guard.js';

/** Client and server share an event loop, whose pauses must not count as a client that does not read. */
const SEND_TIMEOUT_MS = 3_000;
/** more than the kernel buffers on both sides */
const BODY = Buffer.alloc(20 * 1_024 * 1_024, 'x');

describe('ConnectionGuard', () => {
  let server: Server;
  let guard: ConnectionGuard;
  /** Resolves after the server has closed the last connection. */
  let ended: Promise<unknown>;
  let connections = 0;

  beforeEach(async () => {
    guard = new ConnectionGuard({ maxConnectionsPerAddress: 3, trustedProxies: [], sendTimeoutMs: SEND_TIMEOUT_MS });
    server = createServer((_request, response) => response.end(BODY));
    server.on('connection', (socket) => {
      ended = once(socket, 'close');
      connections++;
      socket.once('close', () => connections--);
    });
    guard.watch(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  const open = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const startRequest = async (): Promise<Socket> => {
    const arrived = once(server, 'request');
    const socket = await open();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;
    return socket;
  };

  it('cuts the connection of a client that leaves its response unread', async () => {
    const startedAt = performance.now();
    const client = await startRequest();
    await ended;
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(SEND_TIMEOUT_MS);
    expect(guard.counts.cut).toBe(1);
    client.destroy();
  });

  it('does not cut a client that reads slowly but steadily, also during one large write', async () => {
    const client = await startRequest();
    const startedAt = performance.now();
    let bytes = 0;
    while (bytes < BODY.length && !client.destroyed) {
      // Reads some data, then pauses for much less than the timeout.
      for (let budget = 256 * 1_024; budget > 0;) {
        const chunk = client.read() as Buffer | null;
        if (chunk === null) break;
        bytes += chunk.length;
        budget -= chunk.length;
      }
      await sleep(30);
    }
    expect(bytes).toBeGreaterThan(BODY.length);
    expect(performance.now() - startedAt).toBeGreaterThan(2 * SEND_TIMEOUT_MS);
    expect(guard.counts.cut).toBe(0);
    client.destroy();
  });

  it('closes connections beyond the limit of an address, and frees closed ones', async () => {
    const clients = [await open(), await open(), await open()];
    const fourth = await open();
    await once(fourth.resume(), 'close');
    expect(guard.counts.refused).toBe(1);
    for (const client of clients) client.destroy();
    while (connections > 0) await sleep(10);
    const again = await startRequest();
    expect(again.destroyed).toBe(false);
    again.destroy();
  });

  it('counts the addresses of an IPv6 /64 as one client, and those of another separately', () => {
    // Fakes the remote addresses, because this machine has at most one IPv6 address.
    const arrivals = new EventEmitter();
    guard.watch(arrivals as Server);
    const from = (remoteAddress: string): Socket => {
      const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
      arrivals.emit('connection', socket);
      return socket;
    };
    const sockets = ['::1', '::2:3', '::ffff:0:1', '::4'].map((end) => from(`2001:db8:0:7${end}`));
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false, true]);
    expect(from('2001:db8:0:8::1').destroyed).toBe(false);
    expect(from('::ffff:10.0.0.1').destroyed).toBe(false);
    arrivals.emit('close');
  });
});
