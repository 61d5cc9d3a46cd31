import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportCounter } from '../prometheus/metric.js';

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

/**
 * The ways of a response: the response cache in front of the framework, other responses before the framework (rejected and shed
 * requests), and the framework.
 */
const WAYS = ['cached', 'native', 'framework'] as const;
type Way = (typeof WAYS)[number];

const STATUS_CLASSES = [1, 2, 3, 4, 5];
/** by status class; plain numbers, because a cache hit takes microseconds */
const counts: Record<Way, number[]> = {
  cached: [0, 0, 0, 0, 0, 0],
  native: [0, 0, 0, 0, 0, 0],
  framework: [0, 0, 0, 0, 0, 0],
};

exportCounter({
  name: 'opencanvas_http_requests_total',
  help: 'All requests, by the way of their response (cached, native, framework) and status',
  labelNames: ['way', 'status'],
  read: () =>
    WAYS.flatMap((way) => STATUS_CLASSES.map((at) => [{ way, status: `${at}xx` }, counts[way][at]!] as const)),
});

export function countResponse(way: Way, status: number): void {
  counts[way][(status / 100) | 0]!++;
}

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
