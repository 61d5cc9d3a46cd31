import type { FastifyInstance } from 'fastify';
import { type ResponseWriter, JSON_CONTENT_TYPE } from './response-writer.js';

/** Serves an index at `/` and at incomplete paths of the API. The site has a page at `/` for browsers. */
export function serveIndex(fastify: FastifyInstance, writer: ResponseWriter, hasDocs: boolean): void {
  const index = JSON.stringify({
    name: 'opencanvas-api',
    ...(hasDocs ? { docs: '/docs', document: '/openapi.json' } : {}),
    ...{ posts: '/v1/feed', search: '/v1/search?q=', feed: '/v1/feeds/latest.atom', health: '/health/ready' },
  });
  for (const path of ['/', '/v1', '/health'])
    fastify.get(path, (_request, reply) =>
      writer.write(reply.type(JSON_CONTENT_TYPE).header('vary', 'Accept'), `${index}\n`),
    );
}
