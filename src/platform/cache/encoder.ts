import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Logger } from '@nestjs/common';
import type { CacheEntry, Encoding, Variant } from './cache-entry.js';
import type { EntryStore } from './entry-store.js';

const logger = new Logger('ResponseCache');
const brotliAsync = promisify(zlib.brotliCompress);
const gzipAsync = promisify(zlib.gzip);

/** From Node.js 22.15 on. The library that packs bodies compresses on the event loop, so it makes no pages. */
const { zstdCompress } = zlib as {
  zstdCompress?: (body: Buffer, done: (error: Error | null, packed: Buffer) => void) => void;
};

/** Smaller answers fit in one packet anyway. */
const MIN_BYTES = 1_200;

/** All work on the thread pool; the best first. */
const ENCODERS: Partial<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => brotliAsync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  ...(zstdCompress === undefined ? {} : { zstd: promisify(zstdCompress) }),
  gzip: (body) => gzipAsync(body, { level: 6 }),
};

/**
 * The best form for an Accept-Encoding header. One that does not exist yet is made on the thread pool; until then the plain bytes are
 * sent. Most answers that were just computed are not asked for again: for those none is made.
 */
export function chooseVariant(
  store: EntryStore,
  entry: CacheEntry,
  acceptEncoding: string | undefined,
  isNew = false,
): Variant {
  if (acceptEncoding === undefined || entry.identity.body.length < MIN_BYTES) return entry.identity;
  const { givenEncoding } = entry;
  if (givenEncoding !== undefined && preferredEncoding(acceptEncoding, [givenEncoding]) === givenEncoding)
    return entry.variants[givenEncoding]!;
  if (isNew) return entry.identity;
  const encoding = preferredEncoding(acceptEncoding, OFFERED);
  if (encoding === 'identity') return entry.identity;
  const variant = entry.variants[encoding];
  if (variant !== undefined) return variant;
  if (!entry.attempted.has(encoding)) {
    entry.attempted.add(encoding);
    ENCODERS[encoding]!(entry.identity.body)
      .then((body) => {
        if (body.length < entry.identity.body.length) store.grow(entry, entry.addVariant(encoding, body));
      })
      // the plain bytes keep serving
      .catch((error: unknown) => logger.warn(`${entry.key} is not sent as ${encoding}: ${String(error)}`));
  }
  return entry.identity;
}

const OFFERED = Object.keys(ENCODERS) as Encoding[];

/** Browsers send 30 characters; a longer list than this is not worth reading, the more so as a hit is not counted by any limit. */
const MAX_ACCEPT_ENCODING = 500;

/** The first of what is offered that the client accepts, whatever it would rather have; honours q=0 and `*`. */
export function preferredEncoding<Offered extends string>(
  header: string,
  offered: readonly Offered[],
): Offered | 'identity' {
  if (header.length > MAX_ACCEPT_ENCODING) return 'identity';
  const refused = new Set<string>();
  const accepted = new Set<string>();
  for (const part of header.toLowerCase().split(',')) {
    const [name, ...parameters] = part.includes(';') ? part.split(';') : [part];
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter.trim()));
    (isRefused ? refused : accepted).add(name!.trim());
  }
  for (const encoding of offered) {
    if (accepted.has(encoding) || (accepted.has('*') && !refused.has(encoding))) return encoding;
  }
  return 'identity';
}
