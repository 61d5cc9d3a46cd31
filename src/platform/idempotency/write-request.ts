import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { IsDisconnected } from '../../common/client-disconnected.js';
import type { Viewer } from '../access/viewer.js';
import { recordLayer } from '../http/response-headers.js';
import type { KeyedFastifyRequest } from './idempotency.guard.js';
import type { IdempotencyKey } from '../mongo/transaction-rows.js';

/** The facts that a service needs about the request of its write. */
export type WriteRequest<Who extends Viewer | null = Viewer> = {
  viewer: Who;
  /** Called by a group commit right before the write. Without this function the write happens in any case. */
  isDisconnected?: IsDisconnected;
  /** the client's key, on routes with `@Idempotent()` */
  idempotencyKey?: IdempotencyKey | undefined;
};

/** For handlers of writes. On a route with optional access: `WriteRequest<Viewer | null>`. */
export const WriteRequest = createParamDecorator(
  (_: unknown, context: ExecutionContext): WriteRequest<Viewer | null> => {
    const http = context.switchToHttp();
    const { viewer = null, raw, trace, idempotencyKey } = http.getRequest<KeyedFastifyRequest>();
    const response = http.getResponse<FastifyReply>().raw;
    const isDisconnected = isDisconnectedOf(raw);
    isDisconnected.span = trace?.handler;
    isDisconnected.recordCommit = (ms) => recordLayer(response, 'commit', ms);
    return { viewer, isDisconnected, idempotencyKey };
  },
);

/** Includes a half-closed connection: Node then closes the other half, so the client gets no response. */
export function isDisconnectedOf({ socket }: IncomingMessage): IsDisconnected {
  return () => socket.readableEnded || socket.destroyed;
}
