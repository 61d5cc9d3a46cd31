import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, tap } from 'rxjs';
import type { Page } from './page.js';

/** `Link: <…cursor=…>; rel="next"` for every list answer that goes on. */
export function nextPageLink(url: string, nextCursor: string): string {
  const [path, query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

/** Adds the Link header to plain list answers; cached ones carry theirs in the cache entry. */
@Injectable()
export class PageLinkInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      tap((body: unknown) => {
        const cursor = (body as Page<unknown> | null | undefined)?.page?.nextCursor;
        if (typeof cursor !== 'string') return;
        const http = context.switchToHttp();
        void http
          .getResponse<FastifyReply>()
          .header('Link', nextPageLink(http.getRequest<FastifyRequest>().url, cursor));
      }),
    );
  }
}
