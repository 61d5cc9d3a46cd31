import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConcurrencyLimiter } from '../../src/platform/http/load-shedding/concurrency-limiter.js';
import { useApp } from '../support/app.js';
import { RawClient } from '../support/raw-client.js';
import { until } from '../support/until.js';

/** Larger than the buffers of a connection. */
const FILE = '/docs/swagger-ui-bundle.js';
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const openFiles = (): number => readdirSync('/proc/self/fd').length;

describe('connections that end before their responses', () => {
  const app = useApp({
    direct: 'files that are open, and places that are taken, are those of this process',
    env: {
      HTTP_DOCS: 'true',
    },
  });
  const placesAreFree = () => until(() => (app.app.get(ConcurrencyLimiter).inFlight === 0 ? true : null));

  it('leave no file open when many responses were waiting', async () => {
    expect((await app.client.get(FILE)).status).toBe(200);
    await sleep(200);
    const before = openFiles();
    for (let turn = 0; turn < 10; turn++) {
      const client = new RawClient(app.url);
      client.socket.pause();
      client.send(get(FILE).repeat(16));
      // Resets during and after the opening of files.
      await sleep(turn * 10);
      client.socket.resetAndDestroy();
    }
    await until(
      () => (openFiles() <= before ? true : null),
      () => `${openFiles()} of ${before} are open`,
    );
    await placesAreFree();
  });

  it('hold no slot when the client disconnects before a file begins', async () => {
    for (let turn = 0; turn < 60; turn++) {
      const client = new RawClient(app.url).send(get(FILE));
      await sleep(turn % 6);
      client.socket.resetAndDestroy();
    }
    await placesAreFree();
  });

  it('are closed when a CONNECT follows pending requests', async () => {
    const client = new RawClient(app.url);
    client.send(`${get(FILE).repeat(4)}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.closed;
    await placesAreFree();
  });
});
