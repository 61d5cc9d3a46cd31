import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { Page } from './page.js';
import { SerialisedPage } from './serialised-page.js';

/** `Link: <…cursor=…>; rel="next"` for every list answer that goes on. */
export function nextPageLink(url: string, nextCursor: string): string {
  const [path, query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

/** The cursor that continues a list answer, in either of its forms; undefined for anything else. */
export function nextCursorOf(body: unknown): string | null | undefined {
  if (body instanceof SerialisedPage) return body.nextCursor;
  return (body as Page<unknown> | null | undefined)?.page?.nextCursor;
}

/** Adds the Link header to list answers that no cache entry wrote, and sends serialised pages as they are. */
@Injectable()
export class PageLinkInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((body: unknown) => {
        const reply = context.switchToHttp().getResponse<FastifyReply>();
        const cursor = nextCursorOf(body);
        if (typeof cursor === 'string') {
          void reply.header('Link', nextPageLink(context.switchToHttp().getRequest<FastifyRequest>().url, cursor));
        }
        if (!(body instanceof SerialisedPage)) return body;
        void reply.header('Content-Type', 'application/json; charset=utf-8');
        return body.json;
      }),
    );
  }
}
