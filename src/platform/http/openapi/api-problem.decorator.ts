import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode, type FieldError } from '../../../common/errors.js';
import { headerRef } from './document-headers.js';
import { Problem, PROBLEM_CONTENT_TYPE, problemOf } from '../problems/problem.js';

const CODES_METADATA = 'opencanvas:problems';
const MEDIA_TYPE = PROBLEM_CONTENT_TYPE.split(';')[0]!;
const RETRY_AFTER = { 'Retry-After': headerRef('Retry-After') };
const EXTRA_HEADERS: Record<number, object> = {
  401: { 'WWW-Authenticate': headerRef('WWW-Authenticate') },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

/** Describes the problems that are a route's own; `completeAnswers` adds those of every route of its kind. May be given several times. */
export function ApiProblems(...codes: ErrorCode[]): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const known = (Reflect.getMetadata(CODES_METADATA, handler) as ErrorCode[] | undefined) ?? [];
    const all = [...new Set([...known, ...codes])];
    Reflect.defineMetadata(CODES_METADATA, all, handler);
    // the later decorator would replace the earlier one's response of the same status
    const statuses = new Set(codes.map((code) => ERROR_CODES[code][0]));
    const responses = problemResponses(all.filter((code) => statuses.has(ERROR_CODES[code][0])));
    for (const [status, response] of Object.entries(responses))
      ApiResponse({ status: Number(status), ...response } as ApiResponseOptions)(target, key, descriptor);
  };
}

export type ProblemResponse = {
  description: string;
  headers?: object;
  content: Record<string, { schema: { $ref: string }; examples: Record<string, { $ref: string }> }>;
};

const WRONG_PASSWORD = 'wrong_password';
const ORDER = Object.keys(ERROR_CODES) as ErrorCode[];

/** status -> the response of the document for these codes, in the order of their table */
export function problemResponses(codes: ErrorCode[]): Record<string, ProblemResponse> {
  const byStatus: Record<string, ProblemResponse> = {};
  const statuses = [...new Set(codes.map((code) => ERROR_CODES[code][0]))].sort();
  for (const status of statuses) {
    const own = ORDER.filter((code) => codes.includes(code) && ERROR_CODES[code][0] === status);
    byStatus[status] = {
      description: own.map((code) => `\`${code}\`: ${ERROR_CODES[code][1]}`).join('. '),
      ...(status in EXTRA_HEADERS ? { headers: EXTRA_HEADERS[status]! } : {}),
      content: {
        [MEDIA_TYPE]: {
          schema: { $ref: `#/components/schemas/${Problem.name}` },
          examples: Object.fromEntries(
            own.map((code) => [code, { $ref: `#/components/examples/${exampleOf(code, own)}` }]),
          ),
        },
      },
    };
  }
  return byStatus;
}

/** Where a token is needed too, credentials are the password of its account, and the field that holds it is named. */
function exampleOf(code: ErrorCode, others: ErrorCode[]): string {
  return code === 'invalid_credentials' && others.includes('unauthorized') ? WRONG_PASSWORD : code;
}

/** The codes a response of the document speaks of. */
export function codesOf(response: unknown): ErrorCode[] {
  const content = (response as Partial<ProblemResponse> | undefined)?.content?.[MEDIA_TYPE];
  return Object.keys(content?.examples ?? {}) as ErrorCode[];
}

/** One example for each of these codes, for the components of the document. */
export function problemExamples(codes: ErrorCode[]): Record<string, { summary: string; value: Problem }> {
  const example = (code: ErrorCode, path: string, errors?: FieldError[]) => {
    const title = ERROR_CODES[code][1];
    return { summary: title, value: problemOf(code, title, path, 'req-4f9a-1', errors) };
  };
  const field = { field: 'currentPassword', message: 'must be your present password' };
  return {
    ...Object.fromEntries(codes.map((code) => [code, example(code, '/v1/…')])),
    [WRONG_PASSWORD]: example('invalid_credentials', '/v1/auth/password', [field]),
  };
}
