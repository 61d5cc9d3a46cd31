import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../../common/errors.js';
import { Problem, problemOf } from './problem.js';

/** Describes the problems a route can answer, one response per status, each code with an example. */
export function ApiProblems(...codes: ErrorCode[]): MethodDecorator & ClassDecorator {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = ERROR_CODES[code][0];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ...[...byStatus].map(([status, list]) =>
      ApiResponse({
        status,
        description: list.map((code) => `\`${code}\`: ${ERROR_CODES[code][1]}`).join('. '),
        content: {
          'application/problem+json': {
            schema: { $ref: `#/components/schemas/${Problem.name}` },
            examples: Object.fromEntries(
              list.map((code) => [code, { value: problemOf(code, ERROR_CODES[code][1], '/v1/…', 'req-4f9a-1') }]),
            ),
          },
        },
        ...(status === 429 || status === 503
          ? { headers: { 'Retry-After': { description: 'seconds', schema: { type: 'integer' } } } }
          : {}),
      }),
    ),
  );
}
