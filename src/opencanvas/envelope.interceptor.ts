import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { HandlerResult, OpenCanvasRoute } from './envelope.js';

/** Wraps the result of a handler in the envelope of its route, and sets the headers and status of the response. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<HandlerResult | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<HandlerResult | undefined>): Observable<object | undefined> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const { envelope, headers } = (reply.request.routeOptions.config as unknown as OpenCanvasRoute).opencanvas;
    void reply.headers(headers);
    return next.handle().pipe(
      map((result) => {
        // Undefined means that the response cache has already written the response.
        if (result === undefined) return undefined;
        const { status, ...fields } = result;
        if (status !== undefined) void reply.status(status);
        return envelope.success(fields);
      }),
    );
  }
}
