import { once } from 'node:events';
import { MAX_DROPPED_BYTES } from '../../src/platform/http/early-response.js';
import { useApp } from '../support/app.js';
import { RawClient } from '../support/raw-client.js';
import { until } from '../support/until.js';

const MIB = 2 ** 20;
const JSON_TYPE = 'application/json';

/** requests that the server refuses before it has read their bodies */
const EARLY: [status: number, path: string, type: string][] = [
  [413, '/v1/auth/login', JSON_TYPE],
  [401, '/v1/media', 'multipart/form-data; boundary=x'],
  [404, '/v1/nothing', 'text/plain'],
  [405, '/v1/feed', 'text/plain'],
  [415, '/v1/auth/login', 'text/plain'],
  [429, '/v1/auth/refresh', JSON_TYPE],
  [400, '/v1/p%6fsts', JSON_TYPE],
];
const DIRECT = 'a proxy reads the body itself';

describe('a response before the end of the body', () => {
  const app = useApp({ direct: DIRECT });
  const limited = useApp({
    direct: DIRECT,
    env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_WRITES_PER_MINUTE: '1', RATE_LIMIT_AUTH_PER_MINUTE: '1' },
  });

  beforeEach(() => until(async () => ((await limited.client.post('/v1/auth/refresh')).status === 429 ? true : null)));

  it.each(EARLY)('reaches fetch: %i of %s', async (status, path, type) => {
    const { url } = status === 429 ? limited : app;
    for (let times = 0; times < 3; times++) {
      const body = Buffer.alloc(8 * MIB, ' ');
      const response = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
      expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ status })]);
    }
  });

  describe.each(['close', 'keep-alive'])('with Connection: %s', (connection) => {
    it.each(EARLY)(
      'reaches a client that sends the whole body before it reads: %i of %s',
      async (status, path, type) => {
        const { url } = status === 429 ? limited : app;
        for (const length of [`Content-Length: ${8 * MIB}`, 'Transfer-Encoding: chunked']) {
          const client = new PatientSender(url);
          await client.write(
            `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`,
          );
          const [before, after, end] = length.startsWith('T') ? ['100000\r\n', '\r\n', '0\r\n\r\n'] : ['', '', ''];
          for (let sent = 0; sent < 8; sent++) await client.write(`${before}${' '.repeat(MIB)}${after}`);
          await client.write(end);
          expect([await client.read(), client.errors]).toEqual([status, []]);
          client.socket.destroy();
        }
      },
    );
  });

  it('leaves the connection usable after the body', async () => {
    const client = new RawClient(app.url);
    client.send(`${headOf(MIB)}\r\n`);
    await until(() => client.answers()[0]);
    client.send(`${' '.repeat(MIB)}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`);
    const second = await until(() => client.answers()[1]);
    expect([client.answers()[0]!.status, second.status]).toEqual([404, 200]);
    client.socket.destroy();
  });

  it.each(['close', 'keep-alive'])('closes a connection that sends more than a limit: %s', async (connection) => {
    const client = new PatientSender(app.url);
    await client.write(`${headOf(4 * MAX_DROPPED_BYTES)}Connection: ${connection}\r\n\r\n`);
    expect(await client.read()).toBe(404);
    let sent = 0;
    for (; !client.socket.destroyed && sent < 4 * MAX_DROPPED_BYTES; sent += MIB) await client.write(' '.repeat(MIB));
    await client.closed;
    expect(sent).toBeLessThan(4 * MAX_DROPPED_BYTES);
  });

  it('closes a connection that stops to send', async () => {
    const client = new RawClient(app.url).send(`${headOf(MIB)}\r\n `);
    await client.closed;
    expect(client.answers().map(({ status }) => status)).toEqual([404]);
  });
});

/** Returns the beginning of a request for an unknown URL, without the empty line. */
function headOf(length: number): string {
  return `POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n`;
}

/** Reads only after it was asked to. */
class PatientSender extends RawClient {
  readonly errors: Error[] = [];

  constructor(url: string) {
    // It may send after the end of the response.
    super(url, { allowHalfOpen: true });
    this.socket.on('error', (error) => this.errors.push(error)).pause();
  }

  async write(text: string): Promise<void> {
    if (!this.socket.write(text)) await Promise.race([once(this.socket, 'drain').catch(() => {}), this.closed]);
  }

  async read(): Promise<number> {
    this.socket.resume();
    return (await until(() => this.answers()[0])).status;
  }
}
