import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { OutgoingError, type OutgoingReason } from '../../src/platform/safe-http/outgoing-error.js';
import { type OutgoingOptions, SafeHttpClient } from '../../src/platform/safe-http/safe-http-client.js';
import { describeWith } from '../support/optional.js';

/** An address in the global range that is not assigned to any network. */
const UNROUTED = '3ffe::1';
const NAME = 'host.test';

const servers: (Server | TcpServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server | TcpServer, host = '127.0.0.1'): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}
const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

/** Returns a client that may connect to these ports of the name, which resolves to this machine. */
function outgoing(ports: number[], options: OutgoingOptions = {}): SafeHttpClient {
  const allowedPrivate = ports.map((port) => `${NAME}:${port}`);
  return new SafeHttpClient({ allowedPrivate, resolve: async () => ['127.0.0.1'], ...options });
}

async function failure(asked: Promise<unknown>): Promise<[OutgoingReason, string]> {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutgoingError);
  const { reason, message } = error as OutgoingError;
  return [reason, message];
}
const PRIVATE: [OutgoingReason, string] = ['refused', 'The address is not one of a public host.'];

describe('allowed addresses', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://0/',
    'https://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]:8080/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://１２７.０.０.１/',
  ])('refuses %s', async (address) => {
    expect(await failure(new SafeHttpClient({ timeoutMs: 3_000 }).fetch(address))).toEqual(PRIVATE);
  });

  it.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', '100.64.0.9', 'fd00::1', '169.254.169.254'])(
    'refuses a name that is %s',
    async (address) => {
      const requests = new SafeHttpClient({ resolve: async () => [address] });
      expect(await failure(requests.fetch('https://inward.example/'))).toEqual(PRIVATE);
    },
  );

  it('refuses localhost by the resolver of the system, too', async () => {
    const requests = new SafeHttpClient({ allowedPrivate: ['localhost:1'] });
    expect((await failure(requests.fetch('http://localhost:8080/')))[0]).not.toBe('timeout');
    expect((await failure(requests.fetch('http://localhost:1/')))[0]).toBe('unreachable');
  });

  it.each([
    'ftp://example.org/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'gopher://example.org/',
    'https://user:secret@example.org/',
    'http://example.org:22/',
    'http://example.org:6379/',
    'https://example.org:25/',
    'no address',
  ])('refuses %p', async (address) => {
    const requests = new SafeHttpClient({ resolve: async () => [UNROUTED], timeoutMs: 3_000 });
    expect((await failure(requests.fetch(address)))[0]).toBe('refused');
  });

  it('refuses an address that is too long', async () => {
    const address = `https://example.org/${'x'.repeat(5_000)}`;
    expect((await failure(new SafeHttpClient().fetch(address)))[0]).toBe('refused');
  });

  it('connects to the checked address: a name is resolved once, even if it would change to this machine', async () => {
    const answers = [[UNROUTED], ['127.0.0.1']];
    let asked = 0;
    const resolve = async () => answers[Math.min(asked++, 1)]!;
    const requests = new SafeHttpClient({ resolve, timeoutMs: 3_000 });
    expect((await failure(requests.fetch('http://rebinding.example:8080/')))[0]).not.toBe('refused');
    expect(asked).toBe(1);
    expect(await failure(requests.fetch('http://rebinding.example:8080/'))).toEqual(PRIVATE);
  });

  it('connects to addresses that the operator allows, at their port alone', async () => {
    const port = await serve((_, response) => response.end('here'));
    const other = await serve((_, response) => response.end('secret'));
    const requests = outgoing([port]);
    expect(await (await requests.fetch(`http://${NAME}:${port}/`)).text()).toBe('here');
    expect((await failure(requests.fetch(`http://${NAME}:${other}/`)))[0]).toBe('refused');
    expect((await failure(requests.fetch(`http://127.0.0.1:${port}/`)))[0]).toBe('refused');
    const chosen = new URL(`http://127.0.0.1:${other}/any`);
    expect(await (await requests.fetch(`http://127.0.0.1:${other}/`, {}, chosen)).text()).toBe('secret');
    expect((await failure(requests.fetch(`http://127.0.0.1:${other}/`)))[0]).toBe('refused');
  });
});

describe('redirects', () => {
  it.each([
    ['this machine', 'http://127.0.0.1/', PRIVATE[1]],
    ['a private name', 'http://inward.example/', PRIVATE[1]],
    ['an address in decimal', '//2130706433/', PRIVATE[1]],
    ['another port', `http://${NAME}:6379/`, 'Port 6379 is not allowed.'],
    ['a file', 'file:///etc/passwd', 'The address must begin with https:// or http://, and have no password.'],
  ])('refuses one that leads to %s', async (_, location, message) => {
    const port = await serve((_request, response) => response.writeHead(302, { location }).end());
    expect(await failure(outgoing([port]).fetch(`http://${NAME}:${port}/`))).toEqual(['refused', message]);
  });

  it('follows at most five redirects, and none if the caller wants none', async () => {
    let asked = 0;
    const port = await serve((request, response) => {
      asked += 1;
      const left = Number(request.url!.slice(1));
      if (left === 0) response.end('arrived');
      else response.writeHead(307, { location: `/${left - 1}` }).end();
    });
    const requests = outgoing([port]);
    expect(await (await requests.fetch(`http://${NAME}:${port}/5`)).text()).toBe('arrived');
    expect((await failure(requests.fetch(`http://${NAME}:${port}/6`)))[0]).toBe('too_many_redirects');
    asked = 0;
    const answer = await requests.fetch(`http://${NAME}:${port}/3`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location'), asked]).toEqual([307, '/2', 1]);
    expect((await failure(requests.fetch(`http://${NAME}:${port}/3`, { redirect: 'error' })))[0]).toBe(
      'too_many_redirects',
    );
  });

  it('sends no secret to another origin, and no body after a 303', async () => {
    const seen: { method?: string; authorization?: string; length?: string }[] = [];
    const target = await serve(({ method, headers }, response) => {
      seen.push({ method, authorization: headers.authorization, length: headers['content-length'] });
      response.end();
    });
    const port = await serve((_, response) => response.writeHead(303, { location: `http://${NAME}:${target}/` }).end());
    const init = { method: 'POST', body: 'a=b', headers: { authorization: 'Bearer secret' } };
    await outgoing([port, target]).fetch(`http://${NAME}:${port}/`, init);
    expect(seen).toEqual([{ method: 'GET', authorization: undefined, length: undefined }]);
  });
});

describe('requests and responses', () => {
  it('sends method, headers and body like fetch, and reads status, headers and bytes', async () => {
    const port = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          response.writeHead(201, [
            ['set-cookie', 'a=1'],
            ['set-cookie', 'b=2'],
            ['x-kind', 'echo'],
          ] as never);
          response.end(`${request.method} ${request.headers['content-type']} ${Buffer.concat(chunks).toString()}`);
        });
    });
    const body = new URLSearchParams({ code: 'x y' });
    const answer = await outgoing([port]).fetch(`http://${NAME}:${port}/`, { method: 'POST', body });
    expect(await answer.text()).toBe('POST application/x-www-form-urlencoded;charset=UTF-8 code=x+y');
    expect([answer.status, answer.headers.get('x-kind'), answer.headers.getSetCookie()]).toEqual([
      201,
      'echo',
      ['a=1', 'b=2'],
    ]);
    expect((await outgoing([port]).fetch(`http://${NAME}:${port}/`, { method: 'DELETE', body: 'x' })).status).toBe(201);
  });

  it('does not decompress: a bomb stays as large as it was sent', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const port = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const answer = await outgoing([port]).fetch(`http://${NAME}:${port}/`);
    expect((await answer.arrayBuffer()).byteLength).toBe(bomb.byteLength);
  });

  it.each<[string, RequestListener, OutgoingReason]>([
    [
      'is announced too large',
      (_, response) => response.writeHead(200, { 'content-length': 2_000 }).end(Buffer.alloc(2_000)),
      'too_large',
    ],
    ['never ends', (_, response) => void endless(response, () => response.write(Buffer.alloc(500))), 'too_large'],
    ['comes a byte at a time', (_, response) => void endless(response, () => response.write('.')), 'timeout'],
    ['does not come', () => {}, 'timeout'],
    [
      'stops in the middle',
      (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('half'),
      'timeout',
    ],
    ['is cut off', (_, response) => cutOff(response), 'unreachable'],
    [
      'has a head without end',
      (_, response) => response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
      'unreachable',
    ],
    ['has more headers than fit', (_, response) => response.writeHead(200, manyHeaders()).end(), 'unreachable'],
    ['says only that it goes on', (_, response) => void endless(response, () => response.writeProcessing()), 'timeout'],
    [
      'is an upgrade',
      (_, { socket }) => socket!.end('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'unreachable',
    ],
    [
      'has an impossible status',
      (_, { socket }) => socket!.end('HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n'),
      'unreachable',
    ],
  ])('ends when the answer %s', async (_, listener, reason) => {
    const port = await serve(listener);
    const requests = outgoing([port], { timeoutMs: reason === 'timeout' ? 1_000 : 20_000, maxBodyBytes: 1_500 });
    expect((await failure(requests.fetch(`http://${NAME}:${port}/`)))[0]).toBe(reason);
  });

  it('fails when the other side is not an HTTP server, when no name server responds, and when the caller aborts', async () => {
    const port = await listen(
      createTcpServer(
        (socket) =>
          void socket
            .on('error', () => {})
            .resume()
            .end('220 mail ready\r\n'),
      ),
    );
    expect((await failure(outgoing([port]).fetch(`http://${NAME}:${port}/`)))[0]).toBe('unreachable');
    const requests = new SafeHttpClient({ resolve: () => new Promise(() => {}), timeoutMs: 200 });
    expect((await failure(requests.fetch('https://slow.example/')))[0]).toBe('timeout');
    const hanging = await serve(() => {});
    const signal = AbortSignal.timeout(100);
    expect((await failure(outgoing([hanging]).fetch(`http://${NAME}:${hanging}/`, { signal })))[0]).toBe('unreachable');
  });

  it('bounds the time of all redirects together', async () => {
    const port = await serve((_, response) => setTimeout(() => response.writeHead(302, { location: '/' }).end(), 300));
    const requests = outgoing([port], { timeoutMs: 700 });
    expect((await failure(requests.fetch(`http://${NAME}:${port}/`)))[0]).toBe('timeout');
  });
});

describeWith('openssl', 'TLS', (openssl) => {
  it('requires a certificate for the name, by a trusted authority', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'opencanvas-tls-'));
    const [keyFile, certFile] = [join(directory, 'key'), join(directory, 'cert')];
    const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${NAME}`];
    const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', keyFile, '-out', certFile];
    execFileSync(openssl, ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });
    const [key, cert] = [readFileSync(keyFile), readFileSync(certFile, 'utf8')];
    rmSync(directory, { recursive: true });
    const port = await listen(createTlsServer({ key, cert }, (_, response) => response.end('trusted')));
    const requests = outgoing([port], { ca: cert });
    expect(await (await requests.fetch(`https://${NAME}:${port}/`)).text()).toBe('trusted');
    const elsewhere = new URL(`https://other.test:${port}/`);
    expect((await failure(requests.fetch(elsewhere, {}, elsewhere)))[0]).toBe('unreachable');
    expect((await failure(outgoing([port]).fetch(`https://${NAME}:${port}/`)))[0]).toBe('unreachable');
  });
});

function endless(response: { destroyed: boolean }, step: () => void): void {
  const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : step()), 20);
}

function cutOff(response: Parameters<RequestListener>[1]): void {
  response.writeHead(200, { 'content-length': 10 });
  response.write('half', () => response.destroy());
}

function manyHeaders(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, 'a value of some length']));
}
