import type { ContentEncoding } from './compression.js';

/** A response that is not JSON: XML, HTML or plain text. */
export class TextResponse {
  /** compressed bodies, so that a stored response is compressed once */
  readonly encoded = new Map<ContentEncoding, Promise<Buffer>>();

  constructor(
    readonly text: string | Buffer,
    /** lower-case names, including `content-type` */
    readonly headers: Record<string, string>,
    /** cache tags, for `@Cached` */
    readonly tags: string[] = [],
    /** earliest time at which its data was read, if that was before the computation */
    readonly readAt = Infinity,
  ) {}
}

/** A JSON response with a compressed form for clients that accept its encoding. */
export class EncodedJson {
  constructor(
    readonly json: Buffer,
    readonly encoding: 'zstd',
    readonly encoded: Buffer,
  ) {}
}
