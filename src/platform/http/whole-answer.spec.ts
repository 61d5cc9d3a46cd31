import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { answerWhole, hasParts, sharedHeaders } from './whole-answer.js';

const SHARED = sharedHeaders({ 'content-type': 'application/json', 'x-frame-options': 'SAMEORIGIN' });
const CLOSE = 'Connection: close\r\n';

const request = (path: string, more = '', version = '1.1'): string =>
  `PUT ${path} HTTP/${version}\r\nHost: here\r\nContent-Length: 0\r\n${more}\r\n`;
const withoutDate = (text: string): string => text.replace(/Date: [^\r]+/g, 'Date: …');

describe('answerWhole', () => {
  let server: Server;
  const ended: string[] = [];
  const held: (() => void)[] = [];

  beforeAll(async () => {
    server = createServer({ keepAliveTimeout: 5_000 }, ({ url }, response) => {
      const [, way, body = ''] = url!.split('/');
      const answer = (): void =>
        answerWhole(response, SHARED, ['x-request-id', '1'], decodeURIComponent(body), way === 'whole');
      for (const event of ['finish', 'close']) response.once(event, () => ended.push(`${event} ${body}`));
      if (body === 'held') held.push(answer);
      else answer();
    });
    server.maxRequestsPerSocket = 3;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  beforeEach(() => ended.splice(0));

  /** what the server sends, until it has begun to and is silent, or ends the connection */
  const talk = (text: string): Promise<{ text: string; isClosed: boolean }> =>
    new Promise((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const chunks: Buffer[] = [];
      let timer: NodeJS.Timeout;
      const done = (isClosed: boolean): void => {
        clearTimeout(timer);
        socket.destroy();
        resolve({ text: Buffer.concat(chunks).toString(), isClosed });
      };
      const wait = (ms: number): void => void (timer = setTimeout(() => done(false), ms));
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        clearTimeout(timer);
        wait(300);
      });
      socket.on('end', () => done(true)).on('error', reject);
      socket.write(text);
      wait(4_000);
    });

  it('knows the node it runs on', () => {
    expect(hasParts).toBe(true);
  });

  it.each([
    ['keeps the connection', '{"value":"like"}', '', '1.1'],
    ['ends the connection of who asks for it', '{"value":"like"}', CLOSE, '1.1'],
    ['ends the connection of an old client', '{"value":"like"}', '', '1.0'],
    ['counts bytes, not characters', '{"name":"Zoë 😀 é"}', '', '1.1'],
    ['sends an empty body', '', '', '1.1'],
  ])('%s, as `writeHead` and `end` do', async (_what, body, more, version) => {
    const path = encodeURIComponent(body);
    const plain = await talk(request(`/long/${path}`, more, version));
    const whole = await talk(request(`/whole/${path}`, more, version));
    const sorted = ({ text }: { text: string }): string[] => withoutDate(text).split('\r\n').sort();
    expect(sorted(whole)).toEqual(sorted(plain));
    expect(whole.isClosed).toBe(plain.isClosed);
    expect(whole.text.split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
    expect(whole.text.endsWith(`\r\n\r\n${body}`)).toBe(true);
    expect(ended).toEqual([`finish ${path}`, `close ${path}`, `finish ${path}`, `close ${path}`]);
  });

  it.each(['long', 'whole'])('answers pipelined requests in their order (%s)', async (way) => {
    const talking = talk(['held', 'second', 'third'].map((body) => request(`/${way}/${body}`)).join(''));
    while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // the others are answered already, and wait for their turn
    await new Promise((resolve) => setTimeout(resolve, 50));
    held.pop()!();
    const { text } = await talking;
    expect(text.match(/held|second|third/g)).toEqual(['held', 'second', 'third']);
    // the last one this server allows on a connection
    expect(text.match(/Connection: \S+/g)).toEqual(
      ['keep-alive', 'keep-alive', 'close'].map((c) => `Connection: ${c}`),
    );
    expect(text.match(/x-frame-options: SAMEORIGIN/g)).toHaveLength(3);
  });

  it('says nothing to a client that has gone', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(request('/whole/held'));
    while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(() => held.pop()!()).not.toThrow();
    expect(ended).toEqual(['close held']);
  });
});
