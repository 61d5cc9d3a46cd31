import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiProblems } from '../http/openapi/api-problem.decorator.js';
import { NewcomerGuard } from './newcomer.guard.js';
import { NEWCOMER_KIND, type NewcomerKind } from './newcomer-limits.js';

/** Limits a write that others see for new accounts: 429 `newcomer_limit`. */
export function NewcomerLimit(kind: NewcomerKind): MethodDecorator {
  return applyDecorators(SetMetadata(NEWCOMER_KIND, kind), UseGuards(NewcomerGuard), ApiProblems('newcomer_limit'));
}
