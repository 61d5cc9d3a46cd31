import { StreamableFile } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { AnswerWriter } from './answer-writer.js';

type Response = Parameters<FastifyAdapter['reply']>[0];

/** Where Nest would have Fastify send what a handler returned, the application's own writer writes it. */
export class NestAdapter extends FastifyAdapter {
  /** known once the application is built */
  writer: AnswerWriter | undefined;

  override reply(response: Response, body: unknown, statusCode?: number): FastifyReply {
    if (!('request' in response) || body instanceof StreamableFile) return super.reply(response, body, statusCode);
    // an interceptor has written the answer already
    if (response.sent) return response;
    if (statusCode !== undefined) void response.status(statusCode);
    this.writer!.write(response, body);
    return response;
  }
}
