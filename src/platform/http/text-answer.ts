import type { ContentEncoding } from './compression.js';

/** A response that is no JSON of ours: XML, a page, plain text. */
export class TextAnswer {
  /** its compressed forms: one that is kept is compressed once */
  readonly encoded = new Map<ContentEncoding, Promise<Buffer>>();

  constructor(
    readonly text: string | Buffer,
    /** lower-case names, `content-type` among them */
    readonly headers: Record<string, string>,
    /** what must change for it to change: for `@Cached` */
    readonly tags: string[] = [],
  ) {}
}
