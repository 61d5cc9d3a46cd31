import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The client of a request, as forwarded by trusted proxies. */
export type ClientInfo = { address: string; userAgent: string };

export const Client = createParamDecorator((_: unknown, context: ExecutionContext): ClientInfo => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { address: request.ip, userAgent: request.headers['user-agent'] ?? '' };
});
