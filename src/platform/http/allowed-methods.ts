import type { FastifyInstance } from 'fastify';
import { CodedError } from '../../common/errors.js';

type Route = { pattern: RegExp; methods: string[] };

/**
 * Says with `Allow` what an address takes: to OPTIONS, and to a method that it does not take. Stands before the answers to preflights,
 * and before the routes, which it has to see.
 */
export function announceMethods(fastify: FastifyInstance): void {
  const routes: Route[] = [];
  const exact = new Map<string, string[]>();
  fastify.addHook('onRoute', ({ url, method }) => {
    const methods = [method].flat();
    if (/[:*]/.test(url)) routes.push({ pattern: patternOf(url), methods });
    else exact.set(url, [...(exact.get(url) ?? []), ...methods]);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const path = request.url.split('?', 1)[0]!;
    const known = exact.get(path);
    // the router would take PATCH of /v1/posts/mine for that of /v1/posts/:idOrSlug
    if (!request.is404 && (known === undefined || known.includes(request.method))) return done();
    const methods = known ?? routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
    if (methods.length > 0) void reply.header('Allow', [...new Set(methods), 'OPTIONS'].sort().join(', '));
    done();
  });
}

/** 405 where the address is known, and 204 to OPTIONS. Stands behind the rate limits: these answers are counted like those of unknown addresses. */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!reply.hasHeader('allow')) return done();
    if (request.method === 'OPTIONS') return void reply.status(204).send();
    done(new CodedError('method_not_allowed', `This address does not take ${request.method}.`));
  });
}

/** `/v1/posts/:id/vote` as an expression; one segment for a parameter, anything for `*`. */
function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]+';
    return segment.replace(/[.]/g, '\\.').replace('*', '.*');
  });
  return new RegExp(`^${segments.join('/')}$`);
}
