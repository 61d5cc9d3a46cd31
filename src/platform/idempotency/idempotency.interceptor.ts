import type { ClientSession } from 'mongodb';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import {
  type AnswerKey,
  answerKeyOf,
  type Claim,
  IdempotencyService,
  inProgress,
  isAlreadyAnswered,
  type StoredAnswer,
} from './idempotency.service.js';
import type { Viewer } from '../access/viewer.js';

/**
 * Given to handlers by `@KeepAnswer()`: makes, of the function that shapes the answer, a step for the transaction of the write. The
 * step is undefined when the request carries no key.
 */
export type AnswerKeeper = <Result>(
  answer: (result: Result) => unknown,
) => ((session: ClientSession, result: Result) => Promise<void>) | undefined;

export type KeyedFastifyRequest = FastifyRequest & {
  viewer?: Viewer;
  keepAnswer?: AnswerKeeper;
  answerKey?: AnswerKey;
};

/** What of the first answer's headers a replay repeats. */
const KEPT_HEADERS = ['content-location', 'etag', 'location'];

/** Answers a repeated request with the first answer, byte for byte; lets a first one through with the means to store its own. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly keys: IdempotencyService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<KeyedFastifyRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return next.handle();
    const claim = this.keys.claim({
      // a header sent twice arrives as one value with a comma and a space, which is no key
      key: String(key),
      accountId: request.viewer?.id ?? null,
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      route: `${request.method} ${request.url.split('?', 1)[0]}`,
      body: request.body,
    });
    return from(this.answer(claim, request, context.switchToHttp().getResponse<FastifyReply>(), next));
  }

  private async answer(
    claim: Claim,
    request: KeyedFastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const leave = this.keys.enter(claim);
    try {
      const first = await this.keys.find(claim);
      if (first !== null) return replay(reply, first);
      request.answerKey = answerKeyOf(claim, reply.statusCode);
      let kept: string | undefined;
      request.keepAnswer = (answer) => async (session, result) => {
        kept = JSON.stringify(answer(result));
        await this.keys.store(claim, { status: reply.statusCode, headers: keptHeaders(reply), body: kept }, session);
      };
      try {
        const body: unknown = await lastValueFrom(next.handle());
        // the very bytes that were stored
        return kept === undefined ? body : asJson(reply, kept);
      } catch (error) {
        if (!isAlreadyAnswered(error)) throw error;
        const other = await this.keys.find(claim);
        // stored on the primary member alone: no majority has it yet, and if it never does, this request is to run
        if (other === null) throw inProgress();
        return replay(reply, other);
      }
    } finally {
      leave();
    }
  }
}

function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer): string {
  void reply.status(status).headers(headers).header('Idempotent-Replayed', 'true');
  return asJson(reply, body);
}

function asJson(reply: FastifyReply, body: string): string {
  void reply.type('application/json; charset=utf-8');
  return body;
}

function keptHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}
