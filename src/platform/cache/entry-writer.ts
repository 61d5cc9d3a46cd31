import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { compress, MIN_COMPRESSED_BYTES, OFFERED, preferredEncoding } from '../http/compression.js';
import { ResponseHeaders } from '../http/response-headers.js';
import { writeResponse } from '../http/write-response.js';
import type { RequestedForm } from './requested-form.js';
import type { CacheStatus, CacheEntry, Encoding, Variant } from './cache-entry.js';
import { EntryStore } from './entry-store.js';

const logger = new Logger('ResponseCache');

/** minimum compressed size, because smaller responses fit into one packet */
const MIN_BYTES = 1_200;

/** Sends entries (hit, stale or new) in the encoding that the client accepts, marked as private or shared. */
@Injectable()
export class EntryWriter {
  readonly counts = { notModified: 0 };

  constructor(
    private readonly store: EntryStore,
    private readonly headers: ResponseHeaders,
  ) {}

  /** Resolves when a large new response is compressed for the client. */
  prepare(entry: CacheEntry, { acceptEncoding }: RequestedForm): Promise<void> {
    return prepareVariant(this.store, entry, acceptEncoding);
  }

  /** @param own headers of this response only, as alternating names and values @returns whether the response was a 304 */
  write(
    entry: CacheEntry,
    state: CacheStatus,
    form: RequestedForm,
    request: IncomingMessage,
    response: ServerResponse,
    own?: string[],
  ): boolean {
    const isNew = state === 'MISS' || state === 'BYPASS';
    const variant = chooseVariant(this.store, entry, form.acceptEncoding, isNew);
    const ageSeconds = Math.floor((performance.now() - entry.storedAt) / 1_000);
    let headers = variant.headersOf(state, form.authorization !== undefined, ageSeconds);
    const origin = this.headers.allowedOrigin(form.origin);
    if (own !== undefined) headers = headers.concat(own);
    if (origin !== undefined) headers = [...headers, 'access-control-allow-origin', origin];
    const reply = { status: 200, headers, body: variant.body, etag: entry.etag };
    const isNotModified = writeResponse(request, response, reply, form);
    if (isNotModified) this.counts.notModified++;
    return isNotModified;
  }
}

/**
 * Returns the best available encoding for an Accept-Encoding header. A hit starts a missing compression on the thread pool; a miss does
 * not, because most computed responses are not requested again.
 */
export function chooseVariant(
  store: EntryStore,
  entry: CacheEntry,
  acceptEncoding: string | undefined,
  isNew = false,
): Variant {
  const encoding = encodingFor(entry, acceptEncoding);
  const variant = entry.variants[encoding];
  if (variant === undefined && !isNew) void makeVariant(store, entry, encoding);
  return variant ?? entry.identity;
}

/** Resolves when the encoding that `chooseVariant` would return is available, for a large response. */
export async function prepareVariant(
  store: EntryStore,
  entry: CacheEntry,
  acceptEncoding: string | undefined,
): Promise<void> {
  if (entry.identity.body.length < MIN_COMPRESSED_BYTES) return;
  const encoding = encodingFor(entry, acceptEncoding);
  if (entry.variants[encoding] === undefined) await makeVariant(store, entry, encoding);
}

function encodingFor(entry: CacheEntry, acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined || entry.identity.body.length < MIN_BYTES) return 'identity';
  const { storedEncoding } = entry;
  if (storedEncoding !== undefined && preferredEncoding(acceptEncoding, [storedEncoding]) === storedEncoding)
    return storedEncoding;
  return preferredEncoding(acceptEncoding, OFFERED);
}

/** Compresses an entry once per encoding. Never rejects. */
function makeVariant(store: EntryStore, entry: CacheEntry, encoding: Encoding): Promise<void> {
  if (encoding === 'identity') return Promise.resolve();
  const running = entry.compressing.get(encoding);
  if (running !== undefined) return running;
  const making = compress(encoding, entry.identity.body)
    .then((body) => {
      if (body.length >= entry.identity.body.length) return;
      entry.addVariant(encoding, body);
      if (entry.isStored) store.set(entry);
    })
    // If the compression fails, clients get the uncompressed body.
    .catch((error: unknown) => logger.warn(`${entry.key} could not be compressed as ${encoding}: ${String(error)}`));
  entry.compressing.set(encoding, making);
  return making;
}
