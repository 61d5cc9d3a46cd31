import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import type { AnswerWriter } from './answer-writer.js';
import { AllowedMethods } from './allowed-methods.js';
import type { ResponseHeaders } from './response-headers.js';

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

export type RequestHookParts = {
  headers: ResponseHeaders;
  writer: AnswerWriter;
  /** counts the request and adds what it tells of it to `answerHeaders`; throws when it is one too many */
  limit: (request: FastifyRequest) => void;
};

/**
 * The one hook before a request is worked on: answers preflights, holds the limits, refuses methods that an address does not take.
 * To be installed before the routes, which it has to see.
 */
export function installRequestHook(fastify: FastifyInstance, { headers, writer, limit }: RequestHookParts): void {
  const methods = new AllowedMethods(fastify);
  fastify.decorateRequest('answerHeaders');
  fastify.addHook('onRequest', (request, reply, done) => {
    request.answerHeaders = [];
    const allow = methods.allowFor(request);
    if (allow !== null) request.answerHeaders.push('allow', allow);
    if (isPreflight(request)) return answerPreflight(request, reply);
    try {
      limit(request);
    } catch (error) {
      return done(error as CodedError);
    }
    if (allow === null) return done();
    if (request.method !== 'OPTIONS')
      return done(new CodedError('method_not_allowed', `This address does not take ${request.method}.`));
    writer.write(reply.status(204), undefined);
  });

  function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
    void reply
      .status(204)
      .header('access-control-allow-methods', ALLOWED_METHODS)
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .header('vary', 'Access-Control-Request-Headers');
    const asked = request.headers['access-control-request-headers'];
    if (asked !== undefined) void reply.header('access-control-allow-headers', asked);
    writer.write(reply, undefined);
  }

  // what Fastify itself sends: the files of the documentation
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    const list = headers.listFor(request, reply, {});
    for (let at = 0; at < list.length; at += 2) void reply.header(list[at]!, list[at + 1]);
    done(null, payload);
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
