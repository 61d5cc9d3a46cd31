import { EncodedJson, TextResponse } from '../text-response.js';
import type { Page } from './page.js';

const OPEN = Buffer.from('{"data":[');
const LAST = Buffer.from('],"page":{"nextCursor":null}}');

/** A list response that is already serialized as UTF-8 JSON and sent unchanged. */
export class SerializedPage {
  private constructor(
    readonly json: Buffer,
    readonly nextCursor: string | null,
    /** of comments on the page that only they and moderators can read */
    readonly removedAuthors: readonly string[],
  ) {}

  /** @param rows the items, separated by commas */
  static of(rows: Buffer, nextCursor: string | null, removedAuthors: readonly string[] = []): SerializedPage {
    const close = nextCursor === null ? LAST : Buffer.from(`],"page":{"nextCursor":"${nextCursor}"}}`, 'latin1');
    return new SerializedPage(Buffer.concat([OPEN, rows, close]), nextCursor, removedAuthors);
  }
}

/** Serializes a response body. Returns strings and buffers unchanged, other values as JSON, and undefined for null or undefined. */
export function serialize(body: unknown): Buffer | string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  if (body instanceof TextResponse) return body.text;
  return body instanceof SerializedPage || body instanceof EncodedJson ? body.json : JSON.stringify(body);
}

/** Returns a Link header `<…cursor=…>; rel="next"` for a list with a next page, otherwise undefined. */
export function linkToNext(url: string, body: unknown): string | undefined {
  const cursor = body instanceof SerializedPage ? body.nextCursor : (body as Page<unknown> | null)?.page?.nextCursor;
  if (typeof cursor !== 'string') return undefined;
  const [path, query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}
