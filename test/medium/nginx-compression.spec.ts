import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { Nginx } from '../support/nginx.js';
import { describeWith } from '../support/optional.js';

const JSON_BODY = JSON.stringify({ data: Array.from({ length: 100 }, (_, id) => ({ id, title: 'a title' })) });

describeWith('nginx', 'nginx in front of a host', (binary) => {
  it('compresses plain responses of the host, and passes on compressed ones', async () => {
    const packed = brotliCompressSync(JSON_BODY);
    const upstream = createServer(({ url }, response) => {
      response.setHeader('content-type', 'application/json; charset=utf-8').setHeader('etag', '"1-a"');
      if (url === '/packed') response.setHeader('content-encoding', 'br').end(packed);
      else response.end(url === '/small' ? '{}' : JSON_BODY);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const nginx = new Nginx(binary, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
    try {
      await nginx.start();
      const getCompressed = async (path: string) => {
        const headers = { 'accept-encoding': 'gzip, deflate, br', via: '1.1 cdn' };
        const response = await new Promise<IncomingMessage>((resolve, reject) => {
          get(nginx.url + path, { headers }, resolve).on('error', reject);
        });
        return { encoding: response.headers['content-encoding'], bytes: await buffer(response) };
      };
      const plain = await getCompressed('/plain');
      expect([plain.encoding, gunzipSync(plain.bytes).toString()]).toEqual(['gzip', JSON_BODY]);
      expect(await getCompressed('/packed')).toEqual({ encoding: 'br', bytes: packed });
      expect((await getCompressed('/small')).encoding).toBeUndefined();
    } finally {
      await nginx.remove();
      upstream.closeAllConnections();
      upstream.close();
    }
  });
});
