import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

/**
 * Responds to the handshake like a mongos, and to every other command with "ok". A real mongos needs config servers and a binary that
 * the tests do not have.
 */
export class Mongos {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => this.serve(socket));

  static async start(): Promise<Mongos> {
    const mongos = new Mongos();
    await once(mongos.server.listen(0, '127.0.0.1'), 'listening');
    return mongos;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    let received = Buffer.alloc(0);
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= HEADER_BYTES && received.length >= received.readInt32LE(0)) {
        const length = received.readInt32LE(0);
        this.answer(socket, received.subarray(0, length));
        received = received.subarray(length);
      }
    });
  }

  private answer(socket: Socket, message: Buffer): void {
    const reply = BSON.serialize(REPLY);
    if (message.readInt32LE(12) === OP_QUERY) {
      // Flags, cursor, start of the cursor, one document.
      const before = Buffer.alloc(20);
      before.writeInt32LE(1, 16);
      socket.write(framed(OP_REPLY, message.readInt32LE(4), Buffer.concat([before, reply])));
    } else {
      // Flags, and a section with one document.
      socket.write(framed(OP_MSG, message.readInt32LE(4), Buffer.concat([Buffer.alloc(5), reply])));
    }
  }
}

const REPLY: Document = {
  isWritablePrimary: true,
  ismaster: true,
  msg: 'isdbgrid',
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 17,
  cursor: { id: 0, ns: 'opencanvas.leases', firstBatch: [] },
  ok: 1,
};

function framed(opCode: number, responseTo: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + body.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(responseTo, 8);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}
