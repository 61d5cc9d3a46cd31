import { hasRole, type Viewer } from '../access/viewer.js';
import type { ContentEncoding } from '../http/compression.js';
import { etagOf } from '../http/write-response.js';

/** The `Warning` header of a stale response whose revalidation failed. */
const REVALIDATION_FAILED = '111 - "Revalidation Failed"';

/** How long a response may be served, in milliseconds. The periods follow each other. */
export type CachePolicy = {
  /** fresh: served without a computation */
  freshMs: number;
  /** stale-while-revalidate: served while one request computes the next response */
  staleMs: number;
  /** stale-if-error: served only if the computation fails */
  staleIfErrorMs: number;
};

export type Encoding = 'identity' | ContentEncoding;

/**
 * How a response was served. ERROR: the previous response, because computing failed or timed out. BYPASS: computed for one viewer,
 * not stored.
 */
export type CacheStatus = 'HIT' | 'STALE' | 'MISS' | 'ERROR' | 'BYPASS';

/** The client may store a response to a request with credentials, but must revalidate the copy each time. */
const PRIVATE = 'private, no-cache';

/** The body in one encoding, with all common headers: ready to send. */
export class Variant {
  /** headers of hits and stale responses, built on first use because most pages are never requested again */
  private ready: Record<string, string[]> = {};
  private readyAge = 0;

  constructor(
    readonly body: Buffer,
    readonly etag: string,
    /** lower-case names, excluding x-cache */
    private readonly fields: Record<string, string>,
  ) {}

  /**
   * Returns alternating names and values, as for `writeHead`.
   * @param ageSeconds of the response; shared caches subtract the age from its lifetime
   */
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
  /** the name of the route in metrics */
  route: string;
  /** the pattern of its URL */
  pattern?: string;
  body: Buffer;
  /** headers that do not depend on the client, lower-case names */
  headers: Record<string, string>;
  tags: string[];
  policy: CachePolicy;
  etagPrefix?: string;
  /** store only on the second computation, because most such responses are requested once */
  storeOnSecondUse?: boolean;
  /** only for visitors and viewers without a list filter */
  isFiltered?: boolean;
  /** CacheRule.ownFor */
  ownFor?: readonly string[];
  /** read from the second-level cache */
  isFromL2?: boolean;
  /** the compressed body, if the response was stored in compressed form */
  encoded?: [encoding: Encoding, body: Buffer];
  now?: number;
};

/** the memory of an entry except its bodies: headers and aliases */
const OVERHEAD_BYTES = 4_096;

/** A stored response: immutable bodies, and the times until which it is fresh, stale and usable on errors. */
export class CacheEntry {
  readonly key: string;
  readonly route: string;
  readonly pattern: string | undefined;
  readonly tags: string[];
  readonly policy: CachePolicy;
  readonly storedAt: number;
  /** earliest time at which its data was read */
  readAt: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
  readonly errorUntil: number;
  readonly etag: string;
  readonly etagPrefix: string;
  readonly storeOnSecondUse: boolean;
  readonly isFiltered: boolean;
  readonly ownFor: readonly string[];
  readonly isFromL2: boolean;
  /** headers of all encodings */
  readonly baseHeaders: Record<string, string>;
  readonly identity: Variant;
  /** the encoding of the stored compressed body; clients that accept it always get it */
  readonly storedEncoding: Encoding | undefined;
  readonly variants: Partial<Record<Encoding, Variant>> = {};
  /** compressions by encoding, running or completed */
  readonly compressing = new Map<Encoding, Promise<void>>();
  /** non-canonical URLs that clients have used */
  aliases: string[] = [];
  bytes: number;
  /** whether the store contains this entry */
  isStored = false;

  constructor(parts: EntryParts) {
    const { policy } = parts;
    this.key = parts.key;
    this.route = parts.route;
    this.pattern = parts.pattern;
    this.tags = parts.tags;
    this.policy = policy;
    this.storeOnSecondUse = parts.storeOnSecondUse ?? false;
    this.isFiltered = parts.isFiltered ?? false;
    this.ownFor = parts.ownFor ?? [];
    this.isFromL2 = parts.isFromL2 ?? false;
    this.storedAt = parts.now ?? performance.now();
    this.readAt = this.storedAt;
    // Adds up to 10% jitter, so that entries stored together do not expire together.
    this.freshUntil = this.storedAt + policy.freshMs * (1 - Math.random() * 0.1);
    this.staleUntil = this.freshUntil + policy.staleMs;
    this.errorUntil = this.staleUntil + policy.staleIfErrorMs;
    this.baseHeaders = parts.headers;
    this.etagPrefix = parts.etagPrefix ?? '';
    this.etag = `${this.etagPrefix}${etagOf(parts.body)}`;
    this.identity = this.variantOf('identity', parts.body);
    this.variants.identity = this.identity;
    this.bytes = OVERHEAD_BYTES + parts.body.length + parts.key.length * 2;
    this.storedEncoding = parts.encoded?.[0];
    if (parts.encoded !== undefined) this.addVariant(...parts.encoded);
  }

  /** The key and the canonical URL in Content-Location. Clients usually request one of these. */
  get urls(): string[] {
    const named = this.baseHeaders['content-location'];
    return named === undefined ? [this.key] : [this.key, named];
  }

  /** Whether the viewer reads what visitors read. */
  isFor(viewer: Viewer): boolean {
    return this.ownFor.length === 0 || !(hasRole(viewer, 'moderator') || this.ownFor.includes(viewer.id));
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
