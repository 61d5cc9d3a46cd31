import { applyDecorators, createParamDecorator, type ExecutionContext, UseFilters, UseGuards } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems } from '../http/openapi/api-problem.decorator.js';
import type { AnswerKey } from './idempotency.service.js';
import { type AnswerKeeper, IdempotencyGuard, type KeyedFastifyRequest, ReplayFilter } from './idempotency.guard.js';

const nothingToKeep: AnswerKeeper = () => undefined;

/**
 * The route honours Idempotency-Key. Its handler takes `@KeepAnswer() keep` and hands `keep((result) => answer)` to the service as
 * `onCommit`, awaited inside its transaction; or, where a group commit writes, `@KeyOfAnswer() key`. Not for answers that carry
 * secrets.
 */
export function Idempotent(): MethodDecorator {
  return applyDecorators(
    UseGuards(IdempotencyGuard),
    UseFilters(ReplayFilter),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes a repeat safe: for 24 hours the same key with the same body returns the first response again, byte for byte, with ' +
        '`Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path.',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
        pattern: '^[!-~]+$',
        example: '5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90',
      },
    }),
    ApiProblems('request_in_progress', 'idempotency_key_reused'),
  );
}

/** The step that stores the first response; see `Idempotent`. */
export const KeepAnswer = createParamDecorator((_: unknown, context: ExecutionContext): AnswerKeeper => {
  return context.switchToHttp().getRequest<KeyedFastifyRequest>().keepAnswer ?? nothingToKeep;
});

/** What stores the first response in another process; undefined when the request carries no key. */
export const KeyOfAnswer = createParamDecorator((_: unknown, context: ExecutionContext): AnswerKey | undefined => {
  const http = context.switchToHttp();
  const { claim } = http.getRequest<KeyedFastifyRequest>();
  return claim === undefined ? undefined : { ...claim, status: http.getResponse<FastifyReply>().statusCode };
});
