import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';
import type { PreparedRequest } from './load-plan.js';

export type Outcome = { status: number; bytes: number; body: Buffer | null } | { error: string; isTimeout: boolean };

export type Exchange = {
  /** Bytes of the request. */
  bytes: Buffer;
  /** Time on the clock of `performance.now()`, never before that of the previous exchange. */
  deadline: number;
  keepsBody: boolean;
  done: (outcome: Outcome) => void;
};

type Connection = { socket: Socket; exchange: Exchange | null; reader: AnswerReader | null; isGoodUntil: number };

const LOOK_FOR_TIMEOUTS_EVERY_MS = 25;
/** A server that closes idle connections after n seconds may close one just before. */
const KEEP_ALIVE_MARGIN_MS = 500;
/** All connections share this buffer, because each read is parsed or copied before the next one. */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

/**
 * An HTTP client for a load generator: at most `maxSockets` connections used round-robin, and a queue for requests without a free one.
 * Plain sockets leave CPU to the server on a small machine, because `node:http` takes several times the CPU per request.
 */
export class SocketPool {
  private readonly connections = new Set<Connection>();
  private readonly idle = new Set<Connection>();
  private readonly waiting = new Set<Exchange>();
  /** Waiting and sent exchanges, oldest first. */
  private readonly open = new Map<Exchange, Connection | null>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly host: string,
    private readonly port: number,
    private readonly maxSockets: number,
  ) {
    this.timer = setInterval(() => this.giveUpLate(), LOOK_FOR_TIMEOUTS_EVERY_MS);
  }

  send(exchange: Exchange): void {
    this.open.set(exchange, null);
    const connection = this.takeIdle();
    if (connection) this.begin(connection, exchange);
    else if (this.connections.size < this.maxSockets) this.begin(this.connect(), exchange);
    else this.waiting.add(exchange);
  }

  close(): void {
    clearInterval(this.timer);
    for (const { socket } of this.connections) socket.destroy();
  }

  private begin(connection: Connection, exchange: Exchange): void {
    this.open.set(exchange, connection);
    connection.exchange = exchange;
    connection.reader = new AnswerReader(exchange.keepsBody);
    connection.socket.write(exchange.bytes);
  }

  private takeIdle(): Connection | null {
    for (const connection of this.idle) {
      this.idle.delete(connection);
      if (performance.now() < connection.isGoodUntil) return connection;
      this.connections.delete(connection);
      connection.socket.destroy();
    }
    return null;
  }

  private connect(): Connection {
    const onread = {
      buffer: READ_BUFFER,
      callback: (length: number) => {
        this.read(connection, READ_BUFFER.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ host: this.host, port: this.port, noDelay: true, onread });
    const connection: Connection = { socket, exchange: null, reader: null, isGoodUntil: Infinity };
    this.connections.add(connection);
    socket.once('error', (error) => this.lose(connection, error.message));
    socket.once('close', () => this.lose(connection, 'socket hang up'));
    return connection;
  }

  private read(connection: Connection, data: Buffer): void {
    const { exchange, reader } = connection;
    // This response has no request.
    if (!exchange || !reader) return void connection.socket.destroy();
    try {
      reader.push(data);
    } catch (error) {
      return this.lose(connection, error instanceof Error ? error.message : String(error));
    }
    if (!reader.isDone) return;
    connection.exchange = null;
    connection.reader = null;
    const { isPersistent, keepAliveSeconds } = reader;
    if (!isPersistent) this.drop(connection);
    else if (keepAliveSeconds !== null)
      connection.isGoodUntil = performance.now() + keepAliveSeconds * 1000 - KEEP_ALIVE_MARGIN_MS;
    this.answer(exchange, reader);
    if (isPersistent) this.idle.add(connection);
    this.next();
  }

  private answer(exchange: Exchange, { status, bytes, chunks }: AnswerReader): void {
    this.open.delete(exchange);
    exchange.done({ status, bytes, body: exchange.keepsBody ? Buffer.concat(chunks) : null });
  }

  private lose(connection: Connection, message: string, isTimeout = false): void {
    const { exchange, reader } = connection;
    connection.exchange = null;
    this.drop(connection);
    if (exchange && reader?.endsHere) this.answer(exchange, reader);
    else if (exchange) this.fail(exchange, message, isTimeout);
    this.next();
  }

  private drop(connection: Connection): void {
    this.connections.delete(connection);
    this.idle.delete(connection);
    connection.socket.destroy();
  }

  private fail(exchange: Exchange, error: string, isTimeout: boolean): void {
    this.open.delete(exchange);
    exchange.done({ error, isTimeout });
  }

  /** Gives a free connection to the request that has waited longest. */
  private next(): void {
    const [exchange] = this.waiting;
    if (exchange === undefined || (this.idle.size === 0 && this.connections.size >= this.maxSockets)) return;
    this.waiting.delete(exchange);
    this.begin(this.takeIdle() ?? this.connect(), exchange);
  }

  private giveUpLate(): void {
    const now = performance.now();
    for (const [exchange, connection] of this.open) {
      if (exchange.deadline > now) return;
      if (connection) this.lose(connection, 'request timed out', true);
      else {
        this.waiting.delete(exchange);
        this.fail(exchange, 'request timed out', true);
      }
    }
  }
}

/** Returns the request as node:http would write it: only Host, Connection, the body's length and the given headers. */
export function requestBytes(
  url: string,
  { method, path, headers = {}, body }: Omit<PreparedRequest, 'expect'>,
): Buffer {
  const hasLength = body !== undefined || !['GET', 'DELETE'].includes(method);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(hasLength ? [`content-length: ${Buffer.byteLength(body ?? '')}`] : []),
    `Host: ${new URL(url).host}`,
    'Connection: keep-alive',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
