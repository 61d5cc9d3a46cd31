import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ConnectionDrain } from './connection-drain.js';

const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const DRAIN = { isReplaced: true, noticeMs: 0, deadlineMs: 60_000 };

describe('ConnectionDrain', () => {
  /** Returns a keep-alive connection after its first response. */
  async function kept(): Promise<{ drain: ConnectionDrain; client: Socket }> {
    const server = createServer((_request, response) => response.end('answered'));
    const drain = new ConnectionDrain(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(REQUEST);
    await once(client, 'data');
    return { drain, client };
  }

  it('responds to requests that arrived while the event loop was blocked, for any time', async () => {
    const { drain, client } = await kept();
    let text = '';
    client.on('data', (chunk) => (text += String(chunk)));
    const closed = once(client, 'close');
    const drained = drain.drain({ ...DRAIN, idleGraceMs: 100 });
    client.write(REQUEST);
    const until = performance.now() + 500;
    while (performance.now() < until);
    await Promise.all([closed, drained]);
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*answered/i);
  });

  it('cuts a connection that is silent for the grace time', async () => {
    const { drain, client } = await kept();
    const closed = once(client.resume(), 'close');
    const startedAt = performance.now();
    await drain.drain({ ...DRAIN, idleGraceMs: 200 });
    await closed;
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(200);
  });
});
