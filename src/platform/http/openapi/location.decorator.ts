import { type CallHandler, type ExecutionContext, mixin, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';
import { headerRef } from './document-headers.js';

/** A 201 names what it made: `Location` is worked out from the answer. Document it with `LOCATION`. */
export function Location<Body>(pathOf: (body: Body) => string): MethodDecorator {
  class LocationInterceptor implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const reply = context.switchToHttp().getResponse<FastifyReply>();
      return next.handle().pipe(tap((body) => void reply.header('Location', pathOf(body as Body))));
    }
  }
  return UseInterceptors(mixin(LocationInterceptor));
}

/** For `@ApiCreatedResponse({ type, headers: LOCATION })`. */
export const LOCATION = { Location: headerRef('Location') };
