import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync };

describe('compression of large responses', () => {
  const app = useApp({ env: { HTTP_DOCS: 'true' } });
  const { world } = app;
  let ada: Person;
  const paths: { path: string; isOwn?: true }[] = [
    { path: '/v1/feed?limit=20' },
    { path: '/v1/feeds/latest.atom' },
    { path: '/v1/posts/mine', isOwn: true },
    { path: '/openapi.json' },
    { path: '/docs/swagger-ui-bundle.js' },
    { path: '/docs/swagger-ui.css' },
    { path: '/docs/swagger-ui-init.js' },
  ];

  beforeAll(async () => {
    ada = await world.person();
    const content = 'Words of a text that is long enough, each of them. '.repeat(40);
    for (let count = 0; count < 20; count++) await world.post({ by: ada, content });
  });

  async function requestRaw(
    path: string,
    headers: Record<string, string>,
    method = 'GET',
  ): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }> {
    return new Promise((resolve, reject) => {
      get(`${app.url}${path}`, { headers, method }, (response) => {
        buffer(response).then(
          (bytes) => resolve({ status: response.statusCode!, headers: response.headers, bytes }),
          reject,
        );
      }).on('error', reject);
    });
  }

  it.each(paths)('applies to a first request for $path, in each encoding and with a 304', async ({ path, isOwn }) => {
    const own: Record<string, string> = isOwn ? { authorization: `Bearer ${ada.token}` } : {};
    const plain = await requestRaw(path, own);
    expect([plain.status, plain.headers['content-encoding'], plain.bytes.length > 8_000]).toEqual([
      200,
      undefined,
      true,
    ]);
    for (const encoding of ['br', 'gzip'] as const) {
      for (const { store } of app.everyOf(ResponseCache)) store.clear();
      const headers = { ...own, 'accept-encoding': encoding };
      const packed = await requestRaw(path, headers);
      expect([path, packed.status, packed.headers['content-encoding']]).toEqual([path, 200, encoding]);
      expect(packed.headers['vary']).toContain('Accept-Encoding');
      expect(DECODERS[encoding](packed.bytes).equals(plain.bytes)).toBe(true);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
      const { etag } = packed.headers;
      expect((await requestRaw(path, headers, 'HEAD')).bytes.length).toBe(0);
      // The script that contains the document has no ETag.
      if (etag === undefined) continue;
      const again = await requestRaw(path, { ...headers, 'if-none-match': etag });
      expect([path, again.status, again.bytes.length]).toEqual([path, 304, 0]);
      expect((await requestRaw(path, { ...own, 'if-none-match': etag })).status).toBe(304);
    }
  });

  it('leaves small responses unchanged, and responses to clients without encodings', async () => {
    expect((await requestRaw('/v1', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
    expect(
      (await requestRaw('/openapi.json', { 'accept-encoding': 'br;q=0' })).headers['content-encoding'],
    ).toBeUndefined();
  });

  it('keeps the ETag valid for If-Match', async () => {
    const { body: draft } = await app.client.post('/v1/drafts', {
      token: ada.token,
      body: { title: 'Long', content: 'Words of a draft. '.repeat(1_000) },
    });
    const headers = { authorization: `Bearer ${ada.token}`, 'accept-encoding': 'br' };
    const current = await requestRaw(`/v1/drafts/${draft.id}`, headers);
    expect([current.status, current.headers['content-encoding']]).toEqual([200, 'br']);
    const saved = await app.client.patch(`/v1/drafts/${draft.id}`, {
      token: ada.token,
      body: { title: 'Longer' },
      headers: { 'if-match': current.headers.etag! },
    });
    expect(saved.status).toBe(200);
  });
});
