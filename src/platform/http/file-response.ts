import type { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { matchesEtag } from './write-response.js';

/** A file to send unchanged. */
export type SentFile = {
  type: string;
  bytes: number;
  disposition: string;
  /** without quotes; if absent, the response is never 304 */
  etag?: string;
  /** Opens the requested range. Not called for a 304. */
  open: (range: Partial<ByteRange>) => Readable | Promise<Readable>;
};

/**
 * Returns the file, one byte range, or undefined if the client's copy is current (ResponseWriter then sends a 304).
 * @throws CodedError `range_not_satisfiable`
 */
export async function sendFile(
  reply: FastifyReply,
  { type, bytes, disposition, etag, open }: SentFile,
): Promise<StreamableFile | undefined> {
  const { headers } = reply.request;
  void reply.header('Accept-Ranges', 'bytes');
  if (etag !== undefined) {
    void reply.header('ETag', `"${etag}"`);
    const known = headers['if-none-match'];
    if (known !== undefined && matchesEtag(etag, known)) return undefined;
  }
  const ifRange = headers['if-range'];
  // Ranges apply to GET only (RFC 9110, 14.2).
  const isPart = reply.request.method === 'GET' && (ifRange === undefined || ifRange === `"${etag}"`);
  const range = isPart ? byteRangeOf(headers.range, bytes) : null;
  if (range === 'none') {
    void reply.header('Content-Range', `bytes */${bytes}`);
    throw new CodedError('range_not_satisfiable', `The file has ${bytes} bytes, and none of them are in the range.`);
  }
  if (range !== null) void reply.status(206).header('Content-Range', `bytes ${range.start}-${range.end - 1}/${bytes}`);
  const length = range === null ? bytes : range.end - range.start;
  return new StreamableFile(await open(range ?? {}), { type, disposition, length });
}

/** A half-open range: includes `start`, excludes `end`. */
type ByteRange = { start: number; end: number };

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** Parses a Range header. Returns null for the whole file (also for several ranges), and 'none' for a range outside of the file. */
export function byteRangeOf(header: string | undefined, bytes: number): ByteRange | 'none' | null {
  const [, first, last] = ONE_RANGE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') return Number(last) === 0 ? 'none' : { start: Math.max(0, bytes - Number(last)), end: bytes };
  if (last !== '' && Number(last) < Number(first)) return null;
  const end = last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  return Number(first) < end ? { start: Number(first), end } : 'none';
}
