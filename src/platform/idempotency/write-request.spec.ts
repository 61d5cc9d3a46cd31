import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterNextPoll } from '../../common/client-disconnected.js';
import { isDisconnectedOf } from './write-request.js';

/** Connects. On input it sends a request, disconnects in the given way, and then creates a file. */
const CLIENT = `
  const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => process.stdout.write('connected'));
  socket.on('error', () => {});
  process.stdin.once('data', (how) => {
    const body = '{"value":"like"}';
    socket.write('PUT / HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: ' + body.length + '\\r\\n\\r\\n' + body);
    setTimeout(() => {
      if (String(how) === 'reset') socket.resetAndDestroy();
      else if (String(how) === 'end') socket.end();
      else if (String(how) === 'close') socket.destroy();
      setTimeout(() => require('node:fs').writeFileSync(process.argv[2], ''), 50);
    }, 50);
  });
`;

describe('a request that is read after its client has left', () => {
  let server: Server;
  let client: ChildProcess | undefined;
  let onRequest: (request: IncomingMessage) => void;
  let directory: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'opencanvas-presence-'));
    server = createServer((request) => {
      request.resume();
      onRequest(request);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    client?.kill('SIGKILL');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true });
  });

  /** Whether the client counts as disconnected when the request is read, and after the next poll. */
  const known = async (how: string): Promise<boolean[]> => {
    const { port } = server.address() as AddressInfo;
    const left = join(directory, 'left');
    client = spawn(process.execPath, ['-e', CLIENT, String(port), left], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(client.stdout!, 'data');
    // The server has accepted the connection.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const seen = new Promise<boolean[]>((resolve, reject) => {
      onRequest = (request) => {
        const isDisconnected = isDisconnectedOf(request);
        const first = isDisconnected();
        afterNextPoll().then(() => resolve([first, isDisconnected()]), reject);
      };
    });
    // Blocks the event loop in the same turn, so that the request is not read before the client has disconnected.
    client.stdin!.write(how);
    const end = performance.now() + 30_000;
    while (!existsSync(left) && performance.now() < end);
    return seen;
  };

  it.each(['close', 'end', 'reset'])('is known to be one after the next poll: %s', async (how) => {
    expect(await known(how)).toEqual([false, true]);
  });

  it('is not detected while the client waits', async () => {
    expect(await known('wait')).toEqual([false, false]);
  });
});
