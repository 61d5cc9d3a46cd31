import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compress, type ContentEncoding, MIN_COMPRESSED_BYTES, OFFERED, preferredEncoding } from './compression.js';
import { linkToNext, serialize } from './pagination/serialized-page.js';
import { recordLayer, ResponseHeaders } from './response-headers.js';
import { TextResponse } from './text-response.js';
import { etagOf, isNotModified, writeResponse } from './write-response.js';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

const COMPRESSIBLE = /^(?:text\/|application\/(?:[a-z.-]+\+)?(?:json|xml|javascript)\b)/;

/**
 * Sends the responses of handlers and of the problem filter with common headers, ETag, 304 and Link. Compresses large bodies on the thread
 * pool first.
 */
@Injectable()
export class ResponseWriter {
  private readonly logger = new Logger('ResponseWriter');

  constructor(private readonly headers: ResponseHeaders) {}

  /** Sends the complete response instead of Fastify. */
  write(reply: FastifyReply, body: unknown): void {
    const { request, raw, statusCode: status } = reply;
    const since = performance.now();
    const bytes = serialize(body);
    const isText = body instanceof TextResponse;
    if (typeof bytes === 'string' && bytes !== body && !isText) recordLayer(raw, 'json', performance.now() - since);
    const own = reply.getHeaders() as Record<string, string | undefined>;
    own['link'] = linkToNext(request.url, body) ?? own['link'];
    if (isText) Object.assign(own, body.headers);
    if (bytes !== undefined) own['content-type'] ??= JSON_CONTENT_TYPE;
    if (status !== 204) own['content-length'] = String(bytes === undefined ? 0 : Buffer.byteLength(bytes));
    const etag = isRepresentation(request, status) ? etagFor(own, bytes, isText) : undefined;
    const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request.headers;
    const conditions = { ifNoneMatch, ifModifiedSince };
    const send = (sent: Buffer | string | undefined): void => {
      const headers = this.headers.listFor(request, reply, own);
      writeResponse(request.raw, raw, { status, headers, body: sent, etag }, conditions);
    };
    const encoding = encodingFor(request, own);
    if (encoding === 'identity' || isNotModified({ headers: Object.entries(own).flat() as string[], etag }, conditions))
      send(bytes);
    else void this.sendCompressed(raw, encoding, body, bytes!, own, send);
    // Hijacks after the write, so that an error of the write still produces a response.
    reply.hijack();
  }

  private async sendCompressed(
    raw: FastifyReply['raw'],
    encoding: ContentEncoding,
    body: unknown,
    bytes: Buffer | string,
    own: Record<string, string | undefined>,
    send: (sent: Buffer | string) => void,
  ): Promise<void> {
    const kept = body instanceof TextResponse ? body.encoded : new Map<ContentEncoding, Promise<Buffer>>();
    const packing = kept.get(encoding) ?? compress(encoding, Buffer.from(bytes));
    kept.set(encoding, packing);
    let sent = bytes;
    try {
      sent = await packing;
      own['content-encoding'] = encoding;
      own['content-length'] = String(sent.length);
      own['etag'] = own['etag']?.replace(/"$/, `-${encoding}"`);
    } catch (error) {
      this.logger.warn(`A response could not be compressed as ${encoding}: ${String(error)}`);
    }
    // The request may have timed out during compression.
    if (!raw.headersSent) send(sent);
  }
}

/** Returns the encoding of a large text, and adds Accept-Encoding to its `Vary` header. */
function encodingFor(
  { headers }: FastifyRequest,
  own: Record<string, string | undefined>,
): ContentEncoding | 'identity' {
  const isLarge = Number(own['content-length'] ?? 0) >= MIN_COMPRESSED_BYTES;
  if (!isLarge || own['content-encoding'] !== undefined || !COMPRESSIBLE.test(own['content-type']!)) return 'identity';
  if (own['vary']?.includes('Accept-Encoding') !== true)
    own['vary'] = [own['vary'], 'Accept-Encoding'].filter(Boolean).join(', ');
  return preferredEncoding(String(headers['accept-encoding'] ?? ''), OFFERED);
}

function isRepresentation({ method }: FastifyRequest, status: number): boolean {
  return status === 200 && (method === 'GET' || method === 'HEAD');
}

/** Returns the ETag set by the handler, or one computed from the body. */
function etagFor(
  own: Record<string, string | undefined>,
  bytes: Buffer | string | undefined,
  isText: boolean,
): string | undefined {
  if (own['etag'] !== undefined) return own['etag'].slice(1, -1);
  if (bytes === undefined || !(isText || own['content-type']!.startsWith('application/json'))) return undefined;
  const etag = etagOf(bytes);
  own['etag'] = `"${etag}"`;
  return etag;
}
