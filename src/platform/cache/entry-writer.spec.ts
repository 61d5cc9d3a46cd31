import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import { Logger } from '@nestjs/common';
import { decompress } from '@cloudpss/zstd';
import { until } from '../../../test/support/until.js';
import { matchesEtag } from '../http/write-response.js';
import { CacheEntry } from './cache-entry.js';
import { preferredEncoding } from '../http/compression.js';
import { chooseVariant, prepareVariant } from './entry-writer.js';
import { EntryStore } from './entry-store.js';

const POLICY = { freshMs: 1_000, staleMs: 1_000, staleIfErrorMs: 60_000 } as const;

/** Waits until another thread has compressed the entry. */
async function made(entry: CacheEntry, ...encodings: ('br' | 'gzip' | 'zstd')[]): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(10))
    if (encodings.every((encoding) => entry.variants[encoding] !== undefined)) return;
}

describe('encodings', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['*', 'zstd'],
    ['*, zstd;q=0', 'br'],
    ['zstd;q=0.1, br', 'zstd'],
    ['identity', 'identity'],
    ['', 'identity'],
    ['gzip;q=0.0', 'identity'],
    ['GZIP', 'gzip'],
    ['br ; q=0 , gzip ; q=0.5', 'gzip'],
    ['br;q=0 ;x, gzip', 'gzip'],
    [`gzip${' '.repeat(496)}`, 'gzip'],
    // The parser ignores longer headers.
    [`gzip${' '.repeat(497)}`, 'identity'],
    [`a${' '.repeat(15_300)}b`, 'identity'],
  ])('%j is answered with %s', (header, expected) => {
    expect(preferredEncoding(header, ['zstd', 'br', 'gzip'])).toBe(expected);
  });

  it('uses zstd if Node.js supports it outside of the event loop, and only for clients without br', async () => {
    const store = new EntryStore(1_000_000);
    const body = Buffer.from(`"${'a title '.repeat(1_000)}"`);
    const parts = { key: '/feed', route: 'test', status: 200, body, headers: {}, tags: [], policy: POLICY };
    const entry = new CacheEntry(parts);
    store.set(entry);
    chooseVariant(store, entry, 'zstd, br');
    expect([...entry.compressing.keys()]).toEqual(['br']);
    expect(chooseVariant(store, entry, 'zstd')).toBe(entry.identity);
    const canMake = 'zstdCompress' in zlib;
    await (canMake ? made(entry, 'zstd') : sleep(100));
    expect(entry.compressing.has('zstd')).toBe(canMake);
    const { body: served } = chooseVariant(store, entry, 'zstd');
    expect(canMake ? Buffer.from(decompress(served)) : served).toEqual(body);
    expect(served.length < body.length).toBe(canMake);
  });

  it('compresses each encoding once, outside of the first request for it, with an ETag of its own', async () => {
    const store = new EntryStore(1_000_000);
    const body = Buffer.from(
      JSON.stringify({ data: Array.from({ length: 200 }, (_, id) => ({ id, title: 'a title' })) }),
    );
    const entry = new CacheEntry({
      key: '/feed',
      route: 'test',
      body,
      headers: {},
      tags: [],
      policy: POLICY,
    });
    store.set(entry);
    expect(chooseVariant(store, entry, 'br')).toBe(entry.identity);
    chooseVariant(store, entry, 'gzip');
    await made(entry, 'br', 'gzip');
    const br = chooseVariant(store, entry, 'br');
    expect(zlib.brotliDecompressSync(br.body)).toEqual(body);
    expect(chooseVariant(store, entry, 'br')).toBe(br);
    expect(zlib.gunzipSync(chooseVariant(store, entry, 'gzip').body)).toEqual(body);
    expect(br.etag).not.toBe(entry.identity.etag);
    expect(br.headersOf('HIT', false, 0)).toContain('content-encoding');
    for (const form of [br, entry.identity]) expect(matchesEtag(entry.etag, form.etag)).toBe(true);
    expect(matchesEtag(entry.etag, `W/${br.etag}, "other"`)).toBe(true);
    expect(matchesEtag(entry.etag, '"other"')).toBe(false);
    expect(matchesEtag(entry.etag, entry.identity.etag.slice(0, -3) + '"')).toBe(false);
  });

  it('compresses a large new response before it is sent, once for all waiting requests', async () => {
    const store = new EntryStore(1_000_000);
    const entryOf = (length: number): CacheEntry => {
      const body = Buffer.from('a title '.repeat(length / 8));
      return new CacheEntry({ key: '/feed', route: 'test', body, headers: {}, tags: [], policy: POLICY });
    };
    const [large, small] = [entryOf(8_000), entryOf(7_992)];
    for (const entry of [large, small])
      await Promise.all(['br', 'br, zstd', 'gzip', undefined].map((header) => prepareVariant(store, entry, header)));
    expect(Object.keys(large.variants).sort()).toEqual(['br', 'gzip', 'identity']);
    expect(Object.keys(small.variants)).toEqual(['identity']);
    expect(chooseVariant(store, large, 'br', true)).toBe(large.variants.br);
    expect(chooseVariant(store, small, 'br', true)).toBe(small.identity);
  });

  it('logs an encoding that cannot be stored, and keeps sending the plain bytes', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const store = new EntryStore(1_000_000);
    const body = Buffer.from('a title '.repeat(1_000));
    const entry = new CacheEntry({ key: '/feed', route: 'test', body, headers: {}, tags: [], policy: POLICY });
    store.set(entry);
    jest.spyOn(store, 'set').mockImplementation(() => {
      throw new Error('miscounted');
    });
    expect(chooseVariant(store, entry, 'gzip')).toBe(entry.identity);
    await until(() => warned.mock.calls[0]);
    expect(warned).toHaveBeenCalledWith('/feed could not be compressed as gzip: Error: miscounted');
    warned.mockRestore();
  });
});
