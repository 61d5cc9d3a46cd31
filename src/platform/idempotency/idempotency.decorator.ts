import { applyDecorators, SetMetadata, UseFilters, UseGuards } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ApiProblems } from '../http/openapi/api-problem.decorator.js';
import { IDEMPOTENT, IdempotencyGuard, ReplayFilter } from './idempotency.guard.js';
import type { IdempotentOptions } from './idempotency.service.js';

/**
 * Accepts an Idempotency-Key on a route. The handler passes `@WriteRequest() write` to a service, whose
 * transaction calls `tx.storeResponse(write.idempotencyKey, response)`.
 * @param options see `IdempotencyService.keyOf`
 */
export function Idempotent(options: IdempotentOptions = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(IDEMPOTENT, options),
    UseGuards(IdempotencyGuard),
    UseFilters(ReplayFilter),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with ' +
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
