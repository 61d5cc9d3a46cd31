import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ResponseWriter } from '../platform/http/response-writer.js';

/** The requested path is an earlier or another form of this one. */
export class PageMoved extends Error {
  constructor(readonly path: string) {
    super(`moved to ${path}`);
  }
}

@Catch(PageMoved)
export class PageMovedFilter implements ExceptionFilter<PageMoved> {
  constructor(private readonly writer: ResponseWriter) {}

  catch({ path }: PageMoved, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    // Titles and names can change back, so browsers must ask again.
    this.writer.write(reply.status(301).header('location', path).header('cache-control', 'no-cache'), undefined);
  }
}
