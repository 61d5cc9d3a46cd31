import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IsDisconnected } from '../../common/client-disconnected.js';
import type { Span } from '../../common/tracing.js';
import type { Viewer } from '../access/viewer.js';
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
    const { viewer = null, raw, trace, idempotencyKey } = context.switchToHttp().getRequest<KeyedFastifyRequest>();
    return { viewer, isDisconnected: isDisconnectedOf(raw, trace?.handler), idempotencyKey };
  },
);

/** Includes a half-closed connection: Node then closes the other half, so the client gets no response. */
export function isDisconnectedOf({ socket }: IncomingMessage, span?: Span): IsDisconnected {
  const isDisconnected: IsDisconnected = () => socket.readableEnded || socket.destroyed;
  if (span !== undefined) isDisconnected.span = span;
  return isDisconnected;
}
