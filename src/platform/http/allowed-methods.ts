import type { FastifyInstance, FastifyRequest } from 'fastify';

type Route = { pattern: RegExp; methods: string[] };

/** What each address takes, known from the routes as they are registered: to be made before them. */
export class AllowedMethods {
  private readonly exact = new Map<string, string[]>();
  private readonly patterns: Route[] = [];

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ url, method }) => {
      const methods = [method].flat();
      if (/[:*]/.test(url)) this.patterns.push({ pattern: patternOf(url), methods });
      else this.exact.set(url, [...(this.exact.get(url) ?? []), ...methods]);
    });
  }

  /** The value of `Allow` for an address that does not take the method of the request; null where it does, or nothing is known of it. */
  allowFor({ url, method, is404 }: FastifyRequest): string | null {
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    const known = this.exact.get(path);
    // the router would take PATCH of /v1/posts/mine for that of /v1/posts/:idOrSlug
    if (!is404 && (known === undefined || known.includes(method))) return null;
    const methods =
      known ?? this.patterns.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
    return methods.length === 0 ? null : [...new Set(methods), 'OPTIONS'].sort().join(', ');
  }
}

/** `/v1/posts/:id/vote` as an expression; one segment for a parameter, anything for `*`. */
function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]+';
    return segment.replace(/[.]/g, '\\.').replace('*', '.*');
  });
  return new RegExp(`^${segments.join('/')}$`);
}
