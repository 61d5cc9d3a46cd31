import type { ContentEncoding } from '../http/compression.js';
import { etagOf } from '../http/write-response.js';

/** The `Warning` header of a response that could not be renewed. */
const REVALIDATION_FAILED = '111 - "Revalidation Failed"';

/** How long a kind of response may be used, in milliseconds. */
export type CachePolicy = {
  /** served without a computation */
  freshMs: number;
  /** then: served while one caller computes the next response */
  staleMs: number;
  /** then: served only when the computation fails */
  staleIfErrorMs: number;
};

export type Encoding = 'identity' | ContentEncoding;

/** The origin of a response. ERROR: the last one, because computing failed or took too long; BYPASS: for one viewer, not stored. */
export type CacheStatus = 'HIT' | 'STALE' | 'MISS' | 'ERROR' | 'BYPASS';

/** The client may store the response, but must revalidate it each time: it came with credentials. */
const PRIVATE = 'private, no-cache';

/** The bytes of one encoding with all common headers: ready to write. */
export class Variant {
  /** headers of hits and stale responses, created with the first one: most cold pages never have any */
  private ready: Record<string, string[]> = {};
  private readyAge = 0;

  constructor(
    readonly body: Buffer,
    readonly etag: string,
    /** lower-case names, without x-cache */
    private readonly fields: Record<string, string>,
  ) {}

  /** Alternating names and values, as for `writeHead`. @param ageSeconds of the response: a shared cache subtracts it from its lifetime */
  headersOf(state: CacheStatus, isPrivate: boolean, ageSeconds: number): string[] {
    if (state === 'MISS' || state === 'BYPASS') return this.list(state, isPrivate);
    if (ageSeconds !== this.readyAge) {
      this.readyAge = ageSeconds;
      this.ready = {};
    }
    return (this.ready[isPrivate ? `${state} private` : state] ??= this.list(state, isPrivate));
  }

  private list(state: CacheStatus, isPrivate: boolean): string[] {
    const fields = isPrivate ? { ...this.fields, 'cache-control': PRIVATE } : this.fields;
    const list: string[] = [];
    for (const name in fields) list.push(name, fields[name]!);
    list.push('x-cache', state === 'ERROR' ? 'STALE' : state);
    if (state !== 'MISS' && state !== 'BYPASS') list.push('age', String(this.readyAge));
    if (state === 'ERROR') list.push('warning', REVALIDATION_FAILED);
    return list;
  }
}

export type EntryParts = {
  key: string;
  /** name of the route for metrics */
  route: string;
  body: Buffer;
  /** headers that are the same for every client, lower-case names */
  headers: Record<string, string>;
  tags: string[];
  policy: CachePolicy;
  etagPrefix?: string;
  /** rarely requested twice: stored only on the second computation */
  storeOnSecondUse?: boolean;
  /** computed by another process */
  isFromL2?: boolean;
  /** the body in the encoding in which it was stored, if any */
  encoded?: [encoding: Encoding, body: Buffer];
  now?: number;
};

/** the memory of an entry without its bodies: headers, lists of headers, aliases */
const OVERHEAD_BYTES = 4_096;

/** One stored response: immutable bytes, and the times at which they stop being fresh, stale and usable. */
export class CacheEntry {
  readonly key: string;
  readonly route: string;
  readonly tags: string[];
  readonly policy: CachePolicy;
  readonly storedAt: number;
  /** all of its data was read at or after this time */
  readAt: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
  readonly errorUntil: number;
  readonly etag: string;
  readonly etagPrefix: string;
  readonly storeOnSecondUse: boolean;
  readonly isFromL2: boolean;
  /** headers of every encoding */
  readonly baseHeaders: Record<string, string>;
  readonly identity: Variant;
  /** the encoding of the given body, sent to all clients that accept it; no other encoding is created for them */
  readonly givenEncoding: Encoding | undefined;
  readonly variants: Partial<Record<Encoding, Variant>> = {};
  /** started and finished encodings */
  readonly making = new Map<Encoding, Promise<void>>();
  /** other spellings of its URL that clients have used */
  aliases: string[] = [];
  bytes: number;
  /** whether it is in the store */
  isStored = false;

  constructor(parts: EntryParts) {
    const { policy } = parts;
    this.key = parts.key;
    this.route = parts.route;
    this.tags = parts.tags;
    this.policy = policy;
    this.storeOnSecondUse = parts.storeOnSecondUse ?? false;
    this.isFromL2 = parts.isFromL2 ?? false;
    this.storedAt = parts.now ?? performance.now();
    this.readAt = this.storedAt;
    // up to 10 % earlier, so that entries stored together do not expire together
    this.freshUntil = this.storedAt + policy.freshMs * (1 - Math.random() * 0.1);
    this.staleUntil = this.freshUntil + policy.staleMs;
    this.errorUntil = this.staleUntil + policy.staleIfErrorMs;
    this.baseHeaders = parts.headers;
    this.etagPrefix = parts.etagPrefix ?? '';
    this.etag = `${this.etagPrefix}${etagOf(parts.body)}`;
    this.identity = this.variantOf('identity', parts.body);
    this.variants.identity = this.identity;
    this.bytes = OVERHEAD_BYTES + parts.body.length + parts.key.length * 2;
    this.givenEncoding = parts.encoded?.[0];
    if (parts.encoded !== undefined) this.addVariant(...parts.encoded);
  }

  /** Its key, and the canonical URL in the response: both are the usual URLs of clients. */
  get addresses(): string[] {
    const named = this.baseHeaders['content-location'];
    return named === undefined ? [this.key] : [this.key, named];
  }

  addVariant(encoding: Encoding, body: Buffer): void {
    this.variants[encoding] = this.variantOf(encoding, body);
    this.bytes += body.length;
  }

  private variantOf(encoding: Encoding, body: Buffer): Variant {
    const etag = encoding === 'identity' ? `"${this.etag}"` : `"${this.etag}-${encoding}"`;
    const fields: Record<string, string> = { ...this.baseHeaders, etag, 'content-length': String(body.length) };
    if (encoding !== 'identity') fields['content-encoding'] = encoding;
    return new Variant(body, etag, fields);
  }
}
