import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IsGone } from '../../common/client-disconnected.js';

/** Also for a client that only ended its half: node ends the other one then, and it gets no response. */
export function isGoneOf({ socket }: IncomingMessage): IsGone {
  return () => socket.readableEnded || socket.destroyed;
}

/** For handlers of writes: whether the client of the request is gone, asked by the commit right before it writes. */
export const ClientIsGone = createParamDecorator((_: unknown, context: ExecutionContext): IsGone => {
  return isGoneOf(context.switchToHttp().getRequest<FastifyRequest>().raw);
});
