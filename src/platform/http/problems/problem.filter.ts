import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientDisconnected } from '../../../common/client-disconnected.js';
import { databaseUnavailable, isDatabaseOutage } from '../../../common/database-outage.js';
import { CodedError, type ErrorCode } from '../../../common/errors.js';
import { ResponseWriter, JSON_CONTENT_TYPE } from '../response-writer.js';
import type { FormedRoute } from './error-form.js';
import { isApiRoute, routeOf } from '../request-identity.js';
import { TextResponse } from '../text-response.js';
import { ErrorPages } from './error-pages.js';
import { PROBLEM_CONTENT_TYPE, type Problem, problemOf } from './problem.js';
import { type PageRoute, wantsErrorPage } from './problem-page.js';
import { MEDIA_TYPES } from '../request-rules.js';

const CODE_BY_STATUS: Record<number, ErrorCode> = {
  400: 'invalid_input',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  414: 'uri_too_long',
  429: 'rate_limited',
  503: 'overloaded',
};

/** A longer request URL is truncated in the response. */
const MAX_INSTANCE_LENGTH = 200;

/** error codes of a full disk while the host stores an upload */
const DISK_FULL = ['ENOSPC', 'EDQUOT'];

/** Fastify's own error codes, with our codes and messages. */
const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', MEDIA_TYPES],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_body',
    'The body does not have the length that Content-Length states.',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_body', 'The body is empty; send a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_body', 'The body is not valid JSON.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than this server accepts.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the address is longer than anything this server knows.'],
  FST_ERR_BAD_URL: ['invalid_input', 'The address is not a valid URL.'],
};

/** Converts a thrown value into a coded error; an unexpected one becomes `internal_error`. */
function toCodedError(thrown: unknown): CodedError {
  if (thrown instanceof CodedError) return thrown;
  const error = thrown as Error & { code?: string | number; statusCode?: number };
  if (typeof error?.code === 'string' && error.code in FASTIFY_CODES)
    return new CodedError(...FASTIFY_CODES[error.code]!);
  if (isDatabaseOutage(thrown)) return databaseUnavailable(thrown);
  if (typeof error?.code === 'string' && DISK_FULL.includes(error.code))
    return new CodedError('overloaded', 'The disk of the server is full. Nothing was stored.', {
      retryAfterSeconds: 5,
      cause: thrown,
    });
  const status = thrown instanceof HttpException ? thrown.getStatus() : (error?.statusCode ?? 500);
  // Nest converts errors of Fastify's JSON parser to a generic 400.
  if (status === 400 && /^Body (is|cannot)/.test(error.message))
    return new CodedError('malformed_body', `${error.message}.`);
  // Nest's error for an unsupported content type has no message.
  if (status === 415) return new CodedError('unsupported_media_type', MEDIA_TYPES);
  const code = CODE_BY_STATUS[status];
  if (code !== undefined) return new CodedError(code, error.message, { cause: thrown });
  return new CodedError(
    'internal_error',
    'The request failed because of a bug in the server. It was logged with this request id.',
    {
      cause: thrown,
    },
  );
}

/** Sends all errors as application/problem+json, with a stable code, the invalid fields and the request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  constructor(
    private readonly writer: ResponseWriter,
    private readonly pages: ErrorPages,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.send(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  send(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (thrown instanceof ClientDisconnected) {
      reply.hijack();
      // The client has disconnected. Ending the response releases the slot of the request.
      reply.raw.end();
      return;
    }
    const error = toCodedError(thrown);
    const instance = (request.raw.url?.split('?', 1)[0] ?? '/').slice(0, MAX_INSTANCE_LENGTH);
    if (error.status === 500) {
      const { stack } = Object(error.cause) as { stack?: string };
      // The route, because the URL may contain names and tokens.
      this.logger.error(
        `${request.method} ${routeOf(request) || 'unknown'}: ${String(error.cause)}`,
        { requestId: request.id },
        stack,
      );
    }
    if (reply.raw.headersSent) return;
    if (error.status === 401) {
      const reason = error.code === 'invalid_token' ? ', error="invalid_token"' : '';
      void reply.header('WWW-Authenticate', `Bearer realm="opencanvas-api"${reason}`);
    }
    if (error.retryAfterSeconds !== undefined) void reply.header('Retry-After', String(error.retryAfterSeconds));
    // Removes headers that the handler set before it failed.
    for (const name of ['ETag', 'Location', 'Content-Location']) void reply.removeHeader(name);
    void reply.header('Cache-Control', 'no-store').status(error.status).type(PROBLEM_CONTENT_TYPE);
    const { code, message, fields, mfaToken, ban } = error;
    const problem = problemOf(code, message, instance, request.id, fields, { mfaToken, ban });
    const config = request.routeOptions?.config as (PageRoute & FormedRoute) | undefined;
    const formed = config?.errorForm?.(problem);
    if (formed !== undefined) {
      void reply.headers(formed.headers).status(formed.status).type(JSON_CONTENT_TYPE);
      return this.writer.write(reply, formed.body);
    }
    if (wantsErrorPage(config, request.headers?.accept) || this.isUnknownPage(request)) this.sendPage(problem, reply);
    else this.writer.write(reply, problem);
  }

  /** Whether a browser requests a URL of the site that does not exist. */
  private isUnknownPage({ is404, raw, headers }: FastifyRequest): boolean {
    return this.pages.hasSite && is404 && !isApiRoute(raw.url ?? '') && headers.accept?.includes('text/html') === true;
  }

  private sendPage(problem: Problem, reply: FastifyReply): void {
    const page = this.pages.render(problem);
    if (page instanceof TextResponse) return this.writer.write(reply, page);
    reply.hijack();
    void page.catch(() => problem).then((body) => this.writer.write(reply, body));
  }
}
