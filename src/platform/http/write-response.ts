import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export type RawResponse = {
  status: number;
  /** alternating names (lower-case) and values, as for `writeHead` */
  headers: string[];
  /** undefined if there is no body */
  body: Buffer | string | undefined;
  /** the ETag without quotes and encoding; undefined if there is none */
  etag?: string | undefined;
};

/** The conditional headers of a request. */
export type Conditions = { ifNoneMatch: string | undefined; ifModifiedSince: string | undefined };

/** Sends a response: 304 if the client's copy is current, and no body for HEAD. @returns whether it was a 304 */
export function writeResponse(
  { method }: Pick<IncomingMessage, 'method'>,
  response: ServerResponse,
  { status, headers, body, etag }: RawResponse,
  conditions: Conditions,
): boolean {
  if (isNotModified({ headers, etag }, conditions)) {
    response.writeHead(304, withoutContent(headers));
    response.end();
    return true;
  }
  response.writeHead(status, headers);
  if (body === undefined || method === 'HEAD') response.end();
  else response.end(body);
  return false;
}

/**
 * Returns whether the client's copy is current, by ETag or else by an equal Last-Modified. An older date is no match, because a
 * deletion may make a response look older.
 */
export function isNotModified(
  { headers, etag }: Pick<RawResponse, 'headers' | 'etag'>,
  { ifNoneMatch, ifModifiedSince }: Conditions,
): boolean {
  if (etag === undefined) return false;
  if (ifNoneMatch !== undefined) return matchesEtag(etag, ifNoneMatch);
  if (ifModifiedSince === undefined) return false;
  const at = headers.indexOf('last-modified');
  return at !== -1 && headers[at + 1] === ifModifiedSince;
}

/** Returns the strong ETag of a body, without quotes. */
export function etagOf(body: Buffer | string): string {
  return hash('sha1', body, 'base64url').slice(0, 20);
}

/** Whether an If-None-Match header contains this ETag, for any encoding. */
export function matchesEtag(etag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch === '*') return true;
  const prefix = `"${etag}`;
  for (let at = ifNoneMatch.indexOf(prefix); at !== -1; at = ifNoneMatch.indexOf(prefix, at + 1)) {
    const after = ifNoneMatch.charCodeAt(at + prefix.length);
    if (after === 34 /* " */ || after === 45 /* - */) return true;
  }
  return false;
}

function withoutContent(headers: string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (name !== 'content-length' && name !== 'content-type' && name !== 'content-encoding')
      kept.push(name, headers[at + 1]!);
  }
  return kept;
}
