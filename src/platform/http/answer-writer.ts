import { Injectable, StreamableFile } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { linkToNext, serialise } from './pagination/serialised-page.js';
import { ResponseHeaders } from './response-headers.js';
import { TextAnswer } from './text-answer.js';
import { etagOf, writeAnswer } from './write-answer.js';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Writes what handlers and the problem filter answer: the headers of every answer, those set on the reply, and ETag, 304 and Link. */
@Injectable()
export class AnswerWriter {
  constructor(private readonly headers: ResponseHeaders) {}

  /** Writes the whole answer; Fastify is told to leave it alone. */
  write(reply: FastifyReply, body: unknown): void {
    const { request, raw, statusCode: status } = reply;
    const bytes = serialise(body);
    const own = reply.getHeaders() as Record<string, string | undefined>;
    own['link'] = linkToNext(request.url, body) ?? own['link'];
    if (body instanceof TextAnswer) Object.assign(own, body.headers);
    if (bytes !== undefined) own['content-type'] ??= JSON_CONTENT_TYPE;
    if (status !== 204) own['content-length'] = String(bytes === undefined ? 0 : Buffer.byteLength(bytes));
    const etag = isRepresentation(request, status) ? etagFor(own, bytes, body instanceof TextAnswer) : undefined;
    const headers = this.headers.listFor(request, reply, own);
    writeAnswer(request.raw, raw, { status, headers, body: bytes, etag }, request.headers['if-none-match']);
    // after the write: what fails in it is still answered as an error
    reply.hijack();
  }
}

function isRepresentation({ method }: FastifyRequest, status: number): boolean {
  return status === 200 && (method === 'GET' || method === 'HEAD');
}

/** That of the handler, or else one of the JSON or text. */
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

type Response = Parameters<FastifyAdapter['reply']>[0];

/** Where Nest would have Fastify send what a handler returned, the application's own writer writes it. */
export class NestAdapter extends FastifyAdapter {
  /** known once the application is built */
  writer: AnswerWriter | undefined;

  override reply(response: Response, body: unknown, statusCode?: number): FastifyReply {
    if (!('request' in response) || body instanceof StreamableFile) return super.reply(response, body, statusCode);
    response.request.onHandled?.();
    // an interceptor has written the answer already
    if (response.sent) return response;
    if (statusCode !== undefined) void response.status(statusCode);
    this.writer!.write(response, body);
    return response;
  }
}
