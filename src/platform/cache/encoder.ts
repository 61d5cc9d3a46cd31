import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { compress as zstdCompress } from '@cloudpss/zstd';
import type { CacheEntry, Encoding, Variant } from './cache-entry.js';
import type { EntryStore } from './entry-store.js';

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Smaller answers fit in one packet anyway. */
const MIN_BYTES = 1_200;

const ENCODERS: Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>> = {
  zstd: (body) => Promise.resolve(Buffer.from(zstdCompress(body, 6))),
  br: (body) => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => gzipAsync(body, { level: 6 }),
};

/**
 * The best form of the entry for an Accept-Encoding header: zstd, then br, then gzip. A form that does not exist yet is made once,
 * on the thread pool, and the asker gets the plain bytes meanwhile.
 */
export function chooseVariant(store: EntryStore, entry: CacheEntry, acceptEncoding: string | undefined): Variant {
  if (acceptEncoding === undefined || entry.identity.body.length < MIN_BYTES) return entry.identity;
  const encoding = preferredEncoding(acceptEncoding);
  if (encoding === 'identity') return entry.identity;
  const variant = entry.variants[encoding];
  if (variant !== undefined) return variant;
  if (!entry.attempted.has(encoding)) {
    entry.attempted.add(encoding);
    void ENCODERS[encoding](entry.identity.body).then(
      (body) => {
        if (body.length < entry.identity.body.length) store.grow(entry, entry.addVariant(encoding, body));
      },
      () => undefined, // the plain bytes keep serving
    );
  }
  return entry.identity;
}

const PREFERENCE = ['zstd', 'br', 'gzip'] as const;

/** Browsers send 30 characters; a longer list than this is not worth reading, the more so as a hit is not counted by any limit. */
const MAX_ACCEPT_ENCODING = 500;

/** Honours q=0 and `*`; among what the client accepts we choose by size, not by the client's order. */
export function preferredEncoding(header: string): Encoding {
  if (header.length > MAX_ACCEPT_ENCODING) return 'identity';
  const refused = new Set<string>();
  const accepted = new Set<string>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    (isRefused ? refused : accepted).add(name);
  }
  for (const encoding of PREFERENCE) {
    if (accepted.has(encoding) || (accepted.has('*') && !refused.has(encoding))) return encoding;
  }
  return 'identity';
}
