import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import type { Viewer } from '../access/viewer.js';
import { clientAddress } from '../http/client-address.js';
import type { FormRequest } from '../http/request-rules.js';
import { ResponseWriter } from '../http/response-writer.js';
import { ErrorPages } from '../http/problems/error-pages.js';
import { ProblemFilter } from '../http/problems/problem.filter.js';
import { type IdempotentOptions, IdempotencyService } from './idempotency.service.js';
import type { IdempotencyKey } from '../mongo/transaction-rows.js';

export const IDEMPOTENT = 'opencanvas:idempotent';

export type KeyedFastifyRequest = FastifyRequest &
  Pick<FormRequest, 'isMultipart'> & { viewer?: Viewer; idempotencyKey?: IdempotencyKey };

/**
 * Stops a repeated request; `ReplayFilter` sends the first response. An interceptor would also slow down the route's requests without a
 * key.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(
    private readonly keys: IdempotencyService,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<KeyedFastifyRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return true;
    request.idempotencyKey = this.keys.keyOf({
      // A repeated header arrives as one value with a comma and a space, which is not a valid key.
      key: String(key),
      accountId: request.viewer?.id ?? null,
      address: clientAddress(request),
      userAgent: request.headers['user-agent'] ?? '',
      route: `${request.method} ${request.url.split('?', 1)[0]}`,
      body: request.body,
      ...this.reflector.get<IdempotentOptions>(IDEMPOTENT, context.getHandler()),
    });
    // The receiver of the file adds its hash (IdempotencyService.requireUnused).
    return request.isMultipart?.() === true || this.keys.requireUnused(request.idempotencyKey).then(() => true);
  }
}

/**
 * Replays the first response, byte for byte, for a refused request with a key: an equal request may have been executed concurrently. All
 * other errors become problems.
 */
@Catch()
@Injectable()
export class ReplayFilter implements ExceptionFilter {
  private readonly problems: ProblemFilter;

  constructor(
    private readonly keys: IdempotencyService,
    private readonly writer: ResponseWriter,
    pages: ErrorPages,
  ) {
    this.problems = new ProblemFilter(writer, pages);
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<KeyedFastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const key = request.idempotencyKey;
    if (key === undefined || !(thrown instanceof CodedError) || thrown.status >= 500)
      return this.problems.send(thrown, request, reply);
    // Fastify must not respond while the first response is being read.
    reply.hijack();
    void this.keys
      .find(key)
      .then((first) => {
        if (first === null) return this.problems.send(thrown, request, reply);
        const { status, headers, body } = first;
        this.writer.write(reply.status(status).headers(headers).header('Idempotent-Replayed', 'true'), body);
      })
      .catch((error: unknown) => this.problems.send(error, request, reply));
  }
}
