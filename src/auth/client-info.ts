import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../platform/http/client-address.js';

/** The client of a request, as forwarded by trusted proxies. */
export type ClientInfo = { address: string; userAgent: string };

export const Client = createParamDecorator((_: unknown, context: ExecutionContext): ClientInfo => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { address: clientAddress(request), userAgent: request.headers['user-agent'] ?? '' };
});
