import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextCursorOf, nextPageLink } from './pagination/page-link.js';
import { SerialisedPage } from './pagination/serialised-page.js';
import { ResponseHeaders } from './response-headers.js';
import { etagOf, writeAnswer } from './write-answer.js';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Writes what handlers and the problem filter answer: the headers of every answer, those set on the reply, and ETag, 304 and Link. */
@Injectable()
export class AnswerWriter {
  constructor(private readonly headers: ResponseHeaders) {}

  /** Writes the whole answer; Fastify is told to leave it alone. */
  write(reply: FastifyReply, body: unknown): void {
    const { request, raw, statusCode: status } = reply;
    const bytes = bytesOf(body);
    const own = reply.getHeaders() as Record<string, string | undefined>;
    const cursor = nextCursorOf(body);
    if (typeof cursor === 'string') own['link'] = nextPageLink(request.url, cursor);
    if (bytes !== undefined) own['content-type'] ??= JSON_CONTENT_TYPE;
    if (status !== 204) own['content-length'] = String(bytes === undefined ? 0 : Buffer.byteLength(bytes));
    const etag = isRepresentation(request, status) ? etagFor(own, bytes) : undefined;
    const headers = this.headers.listFor(request, reply, own);
    writeAnswer(request.raw, raw, { status, headers, body: bytes, etag }, request.headers['if-none-match']);
    // after the write: what fails in it is still answered as an error
    reply.hijack();
  }
}

/** A string or bytes are an answer already; everything else is JSON. */
function bytesOf(body: unknown): Buffer | string | undefined {
  if (body === undefined || body === null || typeof body === 'string' || Buffer.isBuffer(body))
    return body ?? undefined;
  return body instanceof SerialisedPage ? body.json : JSON.stringify(body);
}

function isRepresentation({ method }: FastifyRequest, status: number): boolean {
  return status === 200 && (method === 'GET' || method === 'HEAD');
}

/** That of the handler, or else one of the JSON. */
function etagFor(own: Record<string, string | undefined>, bytes: Buffer | string | undefined): string | undefined {
  if (own['etag'] !== undefined) return own['etag'].slice(1, -1);
  if (bytes === undefined || !own['content-type']!.startsWith('application/json')) return undefined;
  const etag = etagOf(bytes);
  own['etag'] = `"${etag}"`;
  return etag;
}
