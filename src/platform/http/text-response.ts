import type { ContentEncoding } from './compression.js';

/** A response that is not JSON: XML, HTML or plain text. */
export class TextResponse {
  /** its compressed forms: a stored response is compressed once */
  readonly encoded = new Map<ContentEncoding, Promise<Buffer>>();

  constructor(
    readonly text: string | Buffer,
    /** lower-case names, `content-type` among them */
    readonly headers: Record<string, string>,
    /** the tags of the response, for `@Cached` */
    readonly tags: string[] = [],
  ) {}
}

/** A JSON response that is also stored compressed, for clients that accept the encoding. */
export class EncodedJson {
  constructor(
    readonly json: Buffer,
    readonly encoding: 'zstd',
    readonly encoded: Buffer,
  ) {}
}
