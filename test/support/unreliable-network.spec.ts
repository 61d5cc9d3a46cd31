import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnreliableNetwork } from './unreliable-network.js';

const LINES = 200;

/** A failure here means that the fault suite reports faults that were never injected as survived. */
describe('UnreliableNetwork', () => {
  let echo: Server;
  let network: UnreliableNetwork;
  let client: Socket;
  let arrived: string;

  beforeEach(async () => {
    echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    network = await UnreliableNetwork.start((echo.address() as AddressInfo).port);
    client = await join();
  });
  afterEach(async () => {
    client.destroy();
    await network.close();
    echo.close();
  });

  async function join(): Promise<Socket> {
    const socket = connect({ port: network.port, host: '127.0.0.1', noDelay: true }).on('error', () => {});
    arrived = '';
    socket.on('data', (chunk: Buffer) => (arrived += chunk.toString()));
    await once(socket, 'connect');
    return socket;
  }

  async function untilHeard(text: string): Promise<void> {
    for (const until = Date.now() + 30_000; arrived.length < text.length && Date.now() < until;) await sleep(2);
    expect(arrived).toBe(text);
  }

  it('carries late in both directions, and then no more', async () => {
    network.delay(() => 100);
    const startedAt = performance.now();
    client.write('late');
    await untilHeard('late');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
    network.hurry();
    client.write(' and on time');
    await untilHeard('late and on time');
  });

  it('loses and reorders nothing when each packet is delayed differently, also when the delay ends', async () => {
    const delays = [30, 1, 17, 0, 8];
    let packets = 0;
    network.delay(() => delays[packets++ % delays.length]!);
    let sent = '';
    for (let line = 0; line < LINES; line++) {
      sent += `${line}\n`;
      client.write(`${line}\n`);
      if (line % 10 === 0) await sleep(1);
      if (line === LINES - 20) network.hurry();
    }
    await untilHeard(sent);
    expect(packets).toBeGreaterThan(10);
  });

  it('drops all traffic silently, and carries only new connections when it is back', async () => {
    client.write('before');
    await untilHeard('before');
    network.vanish();
    client.write(' lost');
    network.appear();
    client.write(' too');
    await sleep(200);
    expect([arrived, client.destroyed]).toEqual(['before', false]);
    client.destroy();
    client = await join();
    client.write('again');
    await untilHeard('again');
  });
});
