import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { BSON, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { WireConnection } from './wire-connection.js';

const OP_MSG = 2013;

function message(document: object, { opCode = OP_MSG, length }: { opCode?: number; length?: number } = {}): Buffer {
  const body = BSON.serialize(document);
  const bytes = Buffer.alloc(21 + body.length);
  bytes.writeInt32LE(length ?? bytes.length, 0);
  bytes.writeInt32LE(opCode, 12);
  bytes.set(body, 21);
  return bytes;
}

function nonsense(): Buffer {
  const bytes = Buffer.concat([message({ ok: 1 }).subarray(0, 21), Buffer.from('no BSON at all')]);
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}

// What a server may do to its bytes, which a real one does only now and then; what it answers: test/medium/batch-transaction.spec.ts.
describe('a connection in the wire protocol', () => {
  let server: Server;
  let peer: Promise<Socket>;
  const connections: WireConnection[] = [];

  beforeEach(async () => {
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    peer = once(server, 'connection').then(([socket]) => socket as Socket);
  });
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.close();
    (await peer).destroy();
    server.close();
    await once(server, 'close');
  });
  const open = async (socketTimeoutMs = 0, connectTimeoutMs = 1_000) => {
    const { port } = server.address() as AddressInfo;
    const connection = await WireConnection.open({ host: '127.0.0.1', port, connectTimeoutMs, socketTimeoutMs });
    connections.push(connection);
    return connection;
  };

  it('puts replies together whatever pieces they come in, and gives each to its command', async () => {
    const bytes = Buffer.concat([1, 2, 3, 4].map((n) => message({ ok: 1, n, text: 'x'.repeat(100 * n) })));
    for (const size of [1, 3, 21, 150, 700, bytes.length]) {
      const connection = await open();
      const socket = await peer;
      const replies = [1, 2, 3, 4].map((n) => connection.command({ ping: n }));
      for (let at = 0; at < bytes.length; at += size) {
        socket.write(bytes.subarray(at, at + size));
        if (size < 100) await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await Promise.all(replies)).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
      socket.destroy();
      peer = once(server, 'connection').then(([next]) => next as Socket);
    }
    await open();
  });

  it('sends what is asked in one turn in one packet, in order', async () => {
    const connection = await open();
    const socket = await peer;
    for (const n of [1, 2, 3]) connection.command({ ping: n, $db: 'admin' }).catch(() => undefined);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    const sent: number[] = [];
    for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
      expect(bytes.readInt32LE(at + 12)).toBe(OP_MSG);
      sent.push(Number(BSON.deserialize(bytes.subarray(at + 21, at + bytes.readInt32LE(at))).ping));
    }
    expect(sent).toEqual([1, 2, 3]);
  });

  it('fails with the server’s error, its code and its labels', async () => {
    const connection = await open();
    const reply = connection.command({ ping: 1 });
    const error = { ok: 0, code: 112, errmsg: 'conflict', errorLabels: ['TransientTransactionError'] };
    (await peer).write(message(error));
    const thrown = await reply.catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(MongoServerError);
    expect(thrown).toMatchObject({ code: 112, message: 'conflict' });
    expect((thrown as MongoServerError).hasErrorLabel('TransientTransactionError')).toBe(true);
    expect(connection.isOpen).toBe(true);
  });

  it.each([
    ['a length that no message has', message({ ok: 1 }, { length: 7 })],
    ['a length beyond all bounds', message({ ok: 1 }, { length: 2 ** 30 })],
    ['another operation', message({ ok: 1 }, { opCode: 1 })],
    ['no document', nonsense()],
    ['an answer that nobody waits for', Buffer.concat([message({ ok: 1 }), message({ ok: 1 }), message({ ok: 1 })])],
  ])('trusts a server that sends %s no further', async (_, bytes) => {
    const connection = await open();
    const replies = [1, 2].map((n) => connection.command({ ping: n }));
    (await peer).write(bytes);
    await Promise.allSettled(replies);
    while (connection.isOpen) await new Promise((resolve) => setImmediate(resolve));
    await expect(connection.command({ ping: 3 })).rejects.toBeInstanceOf(MongoNetworkError);
  });

  it('fails all that wait when the connection ends, and whoever comes later', async () => {
    const connection = await open();
    const replies = [1, 2].map((n) => connection.command({ ping: n }));
    (await peer).destroy();
    for (const reply of await Promise.allSettled(replies)) {
      expect(reply.status === 'rejected' && reply.reason).toBeInstanceOf(MongoNetworkError);
    }
    expect(connection.isOpen).toBe(false);
    await expect(connection.command({ ping: 3 })).rejects.toBeInstanceOf(MongoNetworkError);
  });

  it('gives up a server that says nothing while it is asked, and only then', async () => {
    const connection = await open(100);
    connection.greeted();
    await peer;
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(connection.isOpen).toBe(true);
    await expect(connection.command({ ping: 1 })).rejects.toBeInstanceOf(MongoNetworkTimeoutError);
    expect(connection.isOpen).toBe(false);
  });

  it('waits for a server that has not been greeted no longer than for a connection: a network may carry that alone', async () => {
    const connection = await open(60_000, 100);
    await peer;
    const askedAt = Date.now();
    await expect(connection.command({ hello: 1 })).rejects.toBeInstanceOf(MongoNetworkTimeoutError);
    expect(Date.now() - askedAt).toBeLessThan(5_000);
  });

  it('says that nobody listens', async () => {
    const { port } = server.address() as AddressInfo;
    await open();
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const free = (other.address() as AddressInfo).port;
    other.close();
    await once(other, 'close');
    expect(free).not.toBe(port);
    const options = { host: '127.0.0.1', port: free, connectTimeoutMs: 1_000, socketTimeoutMs: 0 };
    await expect(WireConnection.open(options)).rejects.toThrow(/ECONNREFUSED/);
  });
});
