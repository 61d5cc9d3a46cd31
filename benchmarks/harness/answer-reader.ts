type State = 'head' | 'length' | 'chunk size' | 'chunk' | 'trailer' | 'until close' | 'done';

const LONGEST_LINE = 65_536;

/**
 * Parses one HTTP/1.1 response from chunks of any size. It reads only the status and the headers that define the end of the body,
 * because a load generator must use little CPU.
 */
export class AnswerReader {
  status = 0;
  /** Bytes of the body read so far. */
  bytes = 0;
  /** Whether the server reuses the connection. */
  isPersistent = true;
  /** Timeout of the Keep-Alive header, in seconds. */
  keepAliveSeconds: number | null = null;
  /** Copies of the body, if requested. */
  readonly chunks: Buffer[] = [];
  private state: State = 'head';
  /** Bytes of the body or of the chunk still to come. */
  private left = 0;
  private held: Buffer | null = null;

  constructor(private readonly keepsBody: boolean) {}

  get isDone(): boolean {
    return this.state === 'done';
  }

  /** True if the end of the connection ends the response. */
  get endsHere(): boolean {
    return this.state === 'until close';
  }

  /** The caller may reuse `data` afterwards. Throws if the data is not an HTTP response. */
  push(data: Buffer): void {
    const bytes = this.held === null ? data : Buffer.concat([this.held, data]);
    this.held = null;
    let at = 0;
    while (at < bytes.length) {
      at = this.step(bytes, at);
    }
  }

  private step(bytes: Buffer, at: number): number {
    switch (this.state) {
      case 'head':
        return this.line(bytes, at, '\r\n\r\n', (head) => this.readHead(head));
      case 'chunk size':
        return this.line(bytes, at, '\r\n', (size) => this.readChunkSize(size));
      case 'trailer':
        return this.line(bytes, at, '\r\n', (trailer) => (this.state = trailer === '' ? 'done' : 'trailer'));
      case 'length':
      case 'chunk':
      case 'until close':
        return this.readBody(bytes, at);
      case 'done':
        throw new Error('bytes after the end of the answer');
    }
  }

  /** Reads a line that ends with `end`, and stores an incomplete line for the next chunk. */
  private line(bytes: Buffer, at: number, end: string, read: (text: string) => void): number {
    const to = bytes.indexOf(end, at, 'latin1');
    if (to !== -1) {
      read(bytes.toString('latin1', at, to));
      return to + end.length;
    }
    if (bytes.length - at > LONGEST_LINE) throw new Error('a head that does not end');
    this.held = Buffer.from(bytes.subarray(at));
    return bytes.length;
  }

  private readHead(head: string): void {
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
    if (status === undefined) throw new Error(`not an HTTP answer: ${head.slice(0, 40)}`);
    this.status = Number(status);
    // The final response follows an interim one.
    if (this.status < 200) return;
    this.isPersistent = head.startsWith('HTTP/1.1') && !/\r\nconnection: *close/i.test(head);
    const keepAlive = /\r\nkeep-alive:[^\r]*timeout=(\d+)/i.exec(head)?.[1];
    if (keepAlive !== undefined) this.keepAliveSeconds = Number(keepAlive);
    if (this.status === 204 || this.status === 304) this.state = 'done';
    else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.state = 'chunk size';
    else this.expectLength(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  }

  private expectLength(length: string | undefined): void {
    this.left = Number(length ?? Infinity);
    if (length === undefined) this.isPersistent = false;
    if (length === undefined) this.state = 'until close';
    else this.state = this.left === 0 ? 'done' : 'length';
  }

  private readChunkSize(line: string): void {
    const size = /^([0-9a-f]+) *(;|$)/i.exec(line)?.[1];
    if (size === undefined) throw new Error(`not the size of a chunk: ${line.slice(0, 40)}`);
    // The line break behind the chunk belongs to the chunk.
    this.left = parseInt(size, 16) + 2;
    this.state = this.left === 2 ? 'trailer' : 'chunk';
  }

  private readBody(bytes: Buffer, at: number): number {
    const taken = Math.min(bytes.length - at, this.left);
    this.left -= taken;
    const isChunk = this.state === 'chunk';
    const lineBreak = isChunk ? Math.min(taken, Math.max(0, 2 - this.left)) : 0;
    this.bytes += taken - lineBreak;
    if (this.keepsBody) this.chunks.push(Buffer.from(bytes.subarray(at, at + taken - lineBreak)));
    if (this.left === 0) this.state = isChunk ? 'chunk size' : 'done';
    return at + taken;
  }
}
