import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
}

/** A plain socket that sends the given bytes and collects the received text. */
export class RawClient {
  text = '';
  /** Resolves with the lifetime of the connection in milliseconds. */
  readonly closed: Promise<number>;
  readonly socket: Socket;
  private readonly openedAt = performance.now();

  constructor(url: string, options: { allowHalfOpen?: boolean } = {}) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ host: hostname, port: Number(port), ...options });
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => (this.text += chunk.toString('latin1')));
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => resolve(performance.now() - this.openedAt));
    });
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Returns all responses so far, with bodies by their Content-Length. */
  answers(): RawAnswer[] {
    const found: RawAnswer[] = [];
    let rest = this.text;
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return found;
      const headers = rest.slice(0, end);
      const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? 0);
      if (rest.length < end + 4 + length) return found;
      found.push({ status: Number(headers.split(' ', 2)[1]), headers, body: rest.slice(end + 4, end + 4 + length) });
      rest = rest.slice(end + 4 + length);
    }
  }
}

/** Sends the text, waits for the end of the connection and returns the responses. */
export async function exchange(url: string, text: string): Promise<{ answers: RawAnswer[]; lifeMs: number }> {
  const client = new RawClient(url).send(text);
  const lifeMs = await client.closed;
  return { answers: client.answers(), lifeMs };
}
