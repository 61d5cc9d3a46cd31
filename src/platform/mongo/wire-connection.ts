import { connect, type Socket } from 'node:net';
import { connect as connectSafely, type ConnectionOptions } from 'node:tls';
import {
  BSON,
  type Document,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoWriteConcernError,
} from 'mongodb';

/** Called for every reply; on the hot path, so it may only count. */
export type CommandWatcher = (command: Document, durationMs: number, isFailed: boolean) => void;

export type WireConnectionOptions = {
  host: string;
  port: number;
  /** for the connection, and for each answer until the server is `greeted` */
  connectTimeoutMs: number;
  /** from then on: a server that says nothing for so long while it is asked is given up; 0: never */
  socketTimeoutMs: number;
  /** none: in the clear */
  tls?: ConnectionOptions;
  watch?: CommandWatcher;
};

type Asked = { command: Document; at: number; resolve: (reply: Document) => void; reject: (reason: Error) => void };

const OP_MSG = 2013;
/** length, request id, id of what is answered, operation; then the flags and the kind of the only section, a document */
const DOCUMENT_AT = 21;
const MAX_MESSAGE_BYTES = 48_000_000;
const KEEP_ALIVE_AFTER_MS = 120_000;

/**
 * One connection to a server, in MongoDB's wire protocol (OP_MSG, no compression, no checksum). Commands may be sent before earlier
 * ones are answered: the server works on them one after the other, in order, and what is asked in one turn of the event loop
 * leaves in one packet. The driver sends a command only when it has the answer to the last, which costs a transaction of six
 * statements five times the waking of both processes (docs/performance/writes.md). Errors are the driver's own.
 */
export class WireConnection {
  private readonly asked: Asked[] = [];
  private lastRequest = 0;
  private lastReplyAt = 0;
  private chunks: Buffer[] = [];
  private size = 0;
  /** bytes that have to be there before anything can be read */
  private needed = 4;
  private ended: Error | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly options: WireConnectionOptions,
  ) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (cause) => this.end(new MongoNetworkError(cause.message, { cause })));
    socket.on('close', () => this.end(new MongoNetworkError(`The connection to ${this.address} ended.`)));
    socket.on('timeout', () => {
      if (this.asked.length === 0) return;
      this.end(new MongoNetworkTimeoutError(`${this.address} did not answer for ${socket.timeout} ms.`));
    });
  }

  /** @throws MongoNetworkError when there is no connection to be had */
  static async open(options: WireConnectionOptions): Promise<WireConnection> {
    const { host, port, connectTimeoutMs, tls } = options;
    const socket = tls === undefined ? connect({ host, port }) : connectSafely({ ...tls, host, port });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
    await new Promise<void>((resolve, reject) => {
      const late = () => socket.destroy(new Error(`no answer for ${connectTimeoutMs} ms`));
      const failed = (cause: Error) => {
        reject(new MongoNetworkError(`connect ${host}:${port}: ${cause.message}`, { cause }));
      };
      socket.setTimeout(connectTimeoutMs).once('timeout', late).once('error', failed);
      socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
        socket.off('timeout', late).off('error', failed);
        resolve();
      });
    });
    return new WireConnection(socket, options);
  }

  get isOpen(): boolean {
    return this.ended === null;
  }

  get address(): string {
    return `${this.options.host}:${this.options.port}`;
  }

  /**
   * @returns the server's reply, once it is `ok` and its write concern is met; what it says of single writes is the caller's to read
   * @throws MongoServerError, MongoWriteConcernError, or MongoNetworkError when the connection ends first: then nobody knows what the
   * server has heard
   */
  command(command: Document): Promise<Document> {
    if (this.ended !== null) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      const message = this.encode(command);
      if (this.socket.writableCorked === 0) {
        this.socket.cork();
        // after all promises that go on in this turn, so that what they ask leaves together
        process.nextTick(() => this.socket.uncork());
      }
      this.socket.write(message);
      this.asked.push({ command, at: performance.now(), resolve, reject });
    });
  }

  /** From now on the server may take its time for an answer; until then it has `connectTimeoutMs` for each. */
  greeted(): void {
    this.socket.setTimeout(this.options.socketTimeoutMs);
  }

  /** Whether the process waits for this connection before it ends. */
  keepProcess(keeps: boolean): void {
    if (keeps) this.socket.ref();
    else this.socket.unref();
  }

  close(): void {
    this.end(new MongoNetworkError(`The connection to ${this.address} was closed.`));
  }

  private encode(command: Document): Buffer {
    // as the driver does: undefined becomes null
    const document = BSON.serialize(command, { ignoreUndefined: false });
    const message = Buffer.allocUnsafe(DOCUMENT_AT + document.length);
    this.lastRequest = (this.lastRequest + 1) | 0;
    message.writeInt32LE(message.length, 0);
    message.writeInt32LE(this.lastRequest, 4);
    message.writeInt32LE(0, 8);
    message.writeInt32LE(OP_MSG, 12);
    message.writeInt32LE(0, 16);
    message[20] = 0;
    message.set(document, DOCUMENT_AT);
    return message;
  }

  private receive(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size < this.needed) return;
    let bytes = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.size);
    this.needed = 4;
    while (bytes.length >= 4) {
      const length = bytes.readInt32LE(0);
      if (length <= DOCUMENT_AT || length > MAX_MESSAGE_BYTES) return this.end(this.nonsense());
      if (bytes.length < length) {
        this.needed = length;
        break;
      }
      if (bytes.readInt32LE(12) !== OP_MSG) return this.end(this.nonsense());
      const asked = this.asked.shift();
      if (asked === undefined) return this.end(this.nonsense());
      this.answer(asked, bytes.subarray(DOCUMENT_AT, length));
      bytes = bytes.subarray(length);
    }
    this.chunks = bytes.length > 0 ? [bytes] : [];
    this.size = bytes.length;
  }

  private answer({ command, at, resolve, reject }: Asked, document: Buffer): void {
    let reply: Document;
    try {
      reply = BSON.deserialize(document);
    } catch {
      const nonsense = this.nonsense();
      reject(nonsense);
      return this.end(nonsense);
    }
    const error = errorOf(reply);
    // a command that came with others begins when the one before it has ended
    const now = performance.now();
    this.options.watch?.(command, now - Math.max(at, this.lastReplyAt), error !== null);
    this.lastReplyAt = now;
    if (error === null) resolve(reply);
    else reject(error);
  }

  private nonsense(): Error {
    return new MongoNetworkError(`${this.address} answered with something that is no reply.`);
  }

  private end(reason: Error): void {
    if (this.ended !== null) return;
    this.ended = reason;
    this.chunks = [];
    this.socket.destroy();
    for (const { reject } of this.asked.splice(0)) reject(reason);
  }
}

function errorOf(reply: Document): Error | null {
  if (reply.ok !== 1) return new MongoServerError(reply);
  if (reply.writeConcernError !== undefined) return new MongoWriteConcernError(reply as never);
  return null;
}
