import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { type Outcome, requestBytes, SocketPool } from './socket-pool.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Tests the load generator against every form of HTTP response, because a wrong parser would make a wrong benchmark. */
describe('the socket pool', () => {
  let server: Server;
  let pool: SocketPool;
  let connections: number;
  /** Requested paths in the order of arrival. */
  let asked: string[];
  let answer: (path: string, socket: Socket) => void;

  beforeEach(async () => {
    connections = 0;
    asked = [];
    server = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const path = data.toString().split(' ')[1]!;
        asked.push(path);
        answer(path, socket);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    pool = poolOf(2);
  });

  afterEach(async () => {
    pool.close();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });

  const poolOf = (maxSockets: number) =>
    new SocketPool('127.0.0.1', (server.address() as AddressInfo).port, maxSockets);
  const get = (path: string, deadline = performance.now() + 30_000) =>
    new Promise<Outcome>((done) =>
      pool.send({
        bytes: requestBytes('http://127.0.0.1', { method: 'GET', path }),
        deadline,
        keepsBody: true,
        done,
      }),
    );
  const bodyOf = (outcome: Outcome) => ('error' in outcome ? outcome.error : outcome.body?.toString());
  /** Writes byte by byte, as a network may cut a text. */
  const drip = async (socket: Socket, text: string) => {
    for (const letter of text) {
      socket.write(letter);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  it('reads chunked, sized and empty bodies, split anywhere, in sequence on one connection', async () => {
    const answers: Record<string, [text: string, status: number, body: string]> = {
      '/length': ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n1\r\n23', 200, '1\r\n23'],
      '/chunks': [
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nC;x=1\r\nd\r\ne0\r\n\r\nfgh\r\n0\r\nx-sum: 1\r\n\r\n',
        200,
        'abcd\r\ne0\r\n\r\nfgh',
      ],
      '/none': ['HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
      '/same': ['HTTP/1.1 304 Not Modified\r\ncontent-length: 999\r\n\r\n', 304, ''],
      '/empty': ['HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n', 503, ''],
      '/hint': [
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na',
        200,
        'a',
      ],
    };
    for (const write of [(socket: Socket, text: string) => void socket.write(text), drip]) {
      answer = (path, socket) => void write(socket, answers[path]![0]);
      for (const [path, [, status, body]] of Object.entries(answers)) {
        const outcome = await get(path);
        expect({ path, ...outcome, body: bodyOf(outcome) }).toEqual({ path, status, body, bytes: body.length });
      }
    }
    expect(connections).toBe(1);
  });

  it('opens another connection after a response with Connection: close', async () => {
    const endings = [
      'HTTP/1.1 200 OK\r\n\r\nall of it',
      `HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 9\r\n\r\nall of it`,
    ];
    answer = (path, socket) => socket.end(endings[Number(path.slice(1))]!);
    expect(bodyOf(await get('/0'))).toBe('all of it');
    expect(bodyOf(await get('/1'))).toBe('all of it');
    answer = (_path, socket) => socket.write(OK);
    expect(bodyOf(await get('/2'))).toBe('ok');
    expect(connections).toBe(3);
  });

  it('does not use a connection that the server is about to close, or has closed', async () => {
    answer = (_path, socket) => socket.write(OK.replace('\r\n', '\r\nKeep-Alive: timeout=0\r\n'));
    await get('/a');
    answer = (_path, socket) => socket.end(OK);
    await get('/b');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(bodyOf(await get('/c'))).toBe('ok');
    expect(connections).toBe(3);
  });

  it('counts as errors: a missing, partial or malformed response, and a refused connection', async () => {
    answer = (_path, socket) => socket.end();
    expect(await get('/')).toEqual({ error: 'socket hang up', isTimeout: false });
    answer = (_path, socket) => socket.end(OK.slice(0, -1));
    expect(await get('/')).toEqual({ error: 'socket hang up', isTimeout: false });
    answer = (_path, socket) => socket.write('SSH-2.0\r\n\r\n');
    expect(bodyOf(await get('/'))).toMatch(/^not an HTTP answer/);
    answer = (_path, socket) => socket.write(OK + 'x');
    expect(bodyOf(await get('/'))).toMatch(/^bytes after the end/);
    await new Promise((resolve) => server.close(resolve));
    expect(bodyOf(await get('/'))).toMatch(/ECONNREFUSED/);
  });

  it('fails a waiting or sent request at its deadline, and starts the next waiting one', async () => {
    pool.close();
    pool = poolOf(1);
    answer = (path, socket) => void (path === '/silent' || socket.write(OK));
    const soon = performance.now() + 500;
    const silent = get('/silent', soon);
    const waiting = get('/late', soon);
    const patient = get('/patient');
    expect(await silent).toEqual({ error: 'request timed out', isTimeout: true });
    expect(await waiting).toEqual({ error: 'request timed out', isTimeout: true });
    expect(bodyOf(await patient)).toBe('ok');
    expect(asked).toEqual(['/silent', '/patient']);
  });

  it('opens at most `maxSockets` connections and responds in the order of requests', async () => {
    let inside = 0;
    let most = 0;
    answer = (_path, socket) => {
      most = Math.max(most, ++inside);
      setTimeout(() => {
        inside--;
        socket.write(OK);
      }, 5);
    };
    const paths = Array.from({ length: 10 }, (_, at) => `/${at}`);
    expect((await Promise.all(paths.map((path) => get(path)))).map(bodyOf)).toEqual(paths.map(() => 'ok'));
    expect([connections, most]).toEqual([2, 2]);
    expect(asked.sort()).toEqual(paths);
  });

  it('writes the request as any client would', () => {
    const url = 'http://127.0.0.1:80/';
    const post = { method: 'POST', path: '/a', headers: { 'content-type': 'text/plain' }, body: 'ä' } as const;
    expect(requestBytes(url, post).toString()).toBe(
      'POST /a HTTP/1.1\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\nä',
    );
    expect(requestBytes(url, { method: 'PUT', path: '/' }).toString()).toContain('content-length: 0\r\n');
    expect(requestBytes(url, { method: 'GET', path: '/' }).toString()).not.toContain('content-length');
  });
});
