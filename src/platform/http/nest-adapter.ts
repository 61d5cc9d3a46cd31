import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

type Response = Parameters<FastifyAdapter['reply']>[0];

/** Nest sends what a handler returned; an answer that an interceptor has written itself is not sent again. */
export class NestAdapter extends FastifyAdapter {
  override reply(response: Response, body: unknown, statusCode?: number): FastifyReply {
    return 'sent' in response && response.sent ? response : super.reply(response, body, statusCode);
  }
}
