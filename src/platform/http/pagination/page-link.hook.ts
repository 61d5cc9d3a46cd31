import type { FastifyInstance } from 'fastify';
import { nextCursorOf, nextPageLink } from './page-link.js';
import { SerialisedPage } from './serialised-page.js';

/**
 * Adds the Link header to list answers that no cache entry wrote, and sends serialised pages as they are. A hook and no interceptor:
 * with one interceptor for all routes, every request would go through rxjs (docs/experiments.md).
 */
export function installPageLinks(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload: unknown, done) => {
    const cursor = nextCursorOf(payload);
    if (typeof cursor === 'string') void reply.header('Link', nextPageLink(request.url, cursor));
    if (!(payload instanceof SerialisedPage)) return done(null, payload);
    void reply.header('Content-Type', 'application/json; charset=utf-8').serializer((json: string) => json);
    done(null, payload.json);
  });
}
