import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { CodedError } from '../../common/errors.js';

const MAX_BODY_DEPTH = 8;
const MAX_BODY_KEYS = 200;

/** Rules that hold for every request on the framework's side of the door. */
export function installRequestRules(fastify: FastifyInstance): void {
  // JSON only: no form posts, no text
  fastify.removeContentTypeParser('text/plain');
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Request-Id', request.id);
    done();
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    done(bodyShapeError(request.body));
  });
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    if ((request.method === 'GET' || request.method === 'HEAD') && reply.statusCode === 200) {
      let etag = reply.getHeader('etag') as string | undefined;
      if (
        etag === undefined &&
        (typeof payload === 'string' || Buffer.isBuffer(payload)) &&
        isJson(reply.getHeader('content-type'))
      ) {
        const prefix = (reply.getHeader('x-etag-prefix') as string | undefined) ?? '';
        etag = `"${prefix}${createHash('sha1').update(payload).digest('base64url').slice(0, 20)}"`;
        void reply.header('ETag', etag);
      }
      reply.removeHeader('x-etag-prefix');
      const ifNoneMatch = request.headers['if-none-match'];
      if (
        etag !== undefined &&
        ifNoneMatch !== undefined &&
        (ifNoneMatch === '*' || ifNoneMatch.includes(etag.slice(0, -1)))
      ) {
        void reply.status(304).removeHeader('content-length').removeHeader('content-type');
        done(null, '');
        return;
      }
    }
    done(null, payload);
  });
}

function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && contentType.startsWith('application/json');
}

/** Bounds what a body may make validation do. */
function bodyShapeError(body: unknown): CodedError | undefined {
  let keys = 0;
  const walk = (value: unknown, depth: number): string | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > MAX_BODY_DEPTH) return `nested deeper than ${MAX_BODY_DEPTH} levels`;
    for (const entry of Object.values(value)) {
      if (++keys > MAX_BODY_KEYS) return `more than ${MAX_BODY_KEYS} values`;
      const reason = walk(entry, depth + 1);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
  const reason = walk(body, 1);
  if (reason === undefined) return undefined;
  return new CodedError('invalid_input', `The body has ${reason}.`, {
    fields: [{ field: 'body', message: `has ${reason}` }],
  });
}
