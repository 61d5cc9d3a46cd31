import { connect, type Socket } from 'node:net';
import { BSON, type Document, MongoNetworkError, MongoNetworkTimeoutError } from 'mongodb';

const OP_MSG = 2013;
/** message header, flags, kind of the first section */
const BODY_AT = 21;
const AS_THE_DRIVER_DOES = { checkKeys: false, ignoreUndefined: false };

export type ChannelAddress = { host: string; port: number };
type Asked = { id: number; resolve: (reply: Document) => void; reject: (error: Error) => void };

/** One connection to mongod that carries one command at a time: its bytes out, its reply in, nothing else. */
export class BatchChannel {
  private asked: Asked | null = null;
  private chunks: Buffer[] = [];
  private received = 0;
  /** of the message that is coming in; 0: not known yet */
  private length = 0;
  private lastId = 0;
  private ended: MongoNetworkError | null = null;

  private constructor(
    private readonly socket: Socket,
    idleTimeoutMs: number,
  ) {
    socket.setNoDelay(true);
    if (idleTimeoutMs > 0) {
      socket.setTimeout(idleTimeoutMs, () => {
        // silence is a failure only for who waits for an answer
        if (this.asked !== null) this.end(new MongoNetworkTimeoutError('mongod did not answer in time'));
      });
    }
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('error', (cause) => this.end(new MongoNetworkError(cause.message, { cause })));
    socket.on('close', () => this.end(new MongoNetworkError('the connection to mongod ended')));
    // waiting for nothing must not keep the process alive
    socket.unref();
  }

  static open(
    { host, port }: ChannelAddress,
    timeouts: { connectMs: number; answerMs: number },
  ): Promise<BatchChannel> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host);
      socket.setTimeout(timeouts.connectMs, () => socket.destroy(new Error('mongod took too long to accept')));
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.removeAllListeners('error').removeAllListeners('timeout').setTimeout(0);
        resolve(new BatchChannel(socket, timeouts.answerMs));
      });
      socket.unref();
    });
  }

  get isOpen(): boolean {
    return this.ended === null;
  }

  get isFree(): boolean {
    return this.ended === null && this.asked === null;
  }

  /**
   * Resolves with the reply, whatever it says.
   * @throws MongoNetworkError when the connection ends before: the command may have run or not
   */
  ask(command: Document): Promise<Document> {
    if (this.ended !== null) return Promise.reject(this.ended);
    const id = (this.lastId = (this.lastId + 1) & 0x7fffffff);
    const body = BSON.serialize(command, AS_THE_DRIVER_DOES);
    const message = Buffer.allocUnsafe(BODY_AT + body.length);
    message.writeInt32LE(message.length, 0);
    message.writeInt32LE(id, 4);
    message.writeInt32LE(0, 8);
    message.writeInt32LE(OP_MSG, 12);
    message.writeUInt32LE(0, 16);
    message[BODY_AT - 1] = 0;
    message.set(body, BODY_AT);
    return new Promise((resolve, reject) => {
      this.asked = { id, resolve, reject };
      this.socket.ref();
      this.socket.write(message);
    });
  }

  close(): void {
    this.end(new MongoNetworkError('the connection to mongod was closed'));
  }

  private take(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.received += chunk.length;
    if (this.received < BODY_AT) return;
    if (this.length === 0) this.length = this.joined().readInt32LE(0);
    if (this.received < this.length) return;
    const message = this.joined();
    const { asked } = this;
    const isAnswer =
      this.received === this.length && message.readInt32LE(8) === asked?.id && message[BODY_AT - 1] === 0;
    if (!isAnswer) return this.end(new MongoNetworkError('mongod sent what nobody asked for'));
    this.chunks = [];
    this.received = this.length = 0;
    let reply: Document;
    try {
      reply = BSON.deserialize(message, { index: BODY_AT, allowObjectSmallerThanBufferSize: true });
    } catch (cause) {
      return this.end(new MongoNetworkError('mongod sent what is no document', { cause: cause as Error }));
    }
    this.asked = null;
    this.socket.unref();
    asked.resolve(reply);
  }

  private joined(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0]!;
  }

  private end(reason: MongoNetworkError): void {
    if (this.ended !== null) return;
    this.ended = reason;
    const { asked } = this;
    this.asked = null;
    this.chunks = [];
    this.socket.destroy();
    asked?.reject(reason);
  }
}
