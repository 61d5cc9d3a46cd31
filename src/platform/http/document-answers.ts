import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../../common/errors.js';
import { codesOf, problemExamples, problemResponses } from './api-problem.decorator.js';
import { isHealthRoute } from './request-identity.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Headers = Record<string, { $ref: string }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const text = { type: 'string' } as const;
const seconds = { type: 'integer', minimum: 0 } as const;

/** Headers of the answers, described once. */
const HEADERS = {
  RequestId: { description: 'quote it when you report a problem; yours, if you sent a harmless one', schema: text },
  RetryAfter: { description: 'seconds to wait before asking again', schema: seconds },
  WwwAuthenticate: { description: 'how to sign in', schema: { ...text, example: 'Bearer realm="opencanvas-api"' } },
  ETag: { description: 'names this representation: for If-None-Match', schema: text },
  Link: { description: 'the next page, `rel="next"`; absent on the last one', schema: text },
  RateLimit: { description: 'what is left, and the seconds until all of it is', schema: text },
  RateLimitPolicy: { description: 'the limit and its window in seconds', schema: text },
  IdempotentReplayed: { description: '`true` when this is the first answer again', schema: text },
};

const header = (name: keyof typeof HEADERS): { $ref: string } => ({ $ref: `#/components/headers/${name}` });

/** What every route of a kind can answer, said at one place: routes describe what is their own. */
export function completeAnswers(document: OpenAPIObject): OpenAPIObject {
  const used = new Set<ErrorCode>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.security ??= document.security;
      addProblems(operation, commonCodes(path, method, operation));
      if (method === 'get') addNotModified(operation);
      addHeaders(path, operation);
      for (const response of Object.values(operation.responses)) codesOf(response).forEach((code) => used.add(code));
    }
  }
  const examples = problemExamples([...used].sort()) as NonNullable<OpenAPIObject['components']>['examples'];
  document.components = { ...document.components, examples, headers: HEADERS };
  return document;
}

function commonCodes(path: string, method: string, operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [];
  const security = operation.security ?? [];
  const takesToken = security.some((requirement) => 'bearer' in requirement);
  if (takesToken) codes.push('invalid_token');
  if (takesToken && security.every((requirement) => 'bearer' in requirement)) codes.push('unauthorized');
  // a parameter that is wrong, or one that is not known
  if (path.startsWith('/v1/')) codes.push('invalid_input');
  if (takesParameter(operation, 'cursor')) codes.push('invalid_cursor');
  if (path.includes('{')) codes.push('uri_too_long');
  if (method !== 'get') codes.push('malformed_body', 'body_too_large', 'unsupported_media_type');
  if (!isHealthRoute(path)) codes.push('rate_limited', 'overloaded', 'database_unavailable');
  return codes;
}

function addProblems(operation: Operation, codes: ErrorCode[]): void {
  const { responses } = operation;
  const statuses = new Set(codes.map((code) => String(ERROR_CODES[code][0])));
  const own = [...statuses].flatMap((status) => codesOf(responses[status]));
  const made = problemResponses([...new Set([...own, ...codes])]) as unknown as Operation['responses'];
  operation.responses = sorted({ ...responses, ...made });
}

/** Every JSON answer to a read carries an ETag, and who holds it already is told so. */
function addNotModified(operation: Operation): void {
  const ok = operation.responses['200'] as { content?: object } | undefined;
  const types = Object.keys(ok?.content ?? {});
  if (!types.includes('application/json') && !types.includes('text/markdown')) return;
  operation.responses['304'] ??= { description: 'Not modified: the client holds this representation (If-None-Match).' };
  operation.responses = sorted(operation.responses);
}

function addHeaders(path: string, operation: Operation): void {
  const takesKey = takesParameter(operation, 'Idempotency-Key');
  const isList = takesParameter(operation, 'cursor');
  for (const [status, response] of Object.entries(operation.responses)) {
    const added: Headers = { 'X-Request-Id': header('RequestId') };
    const isSuccess = status.startsWith('2');
    if ((status === '200' || status === '304') && '304' in operation.responses) added['ETag'] = header('ETag');
    if (isSuccess && isList) added['Link'] = header('Link');
    if (isSuccess && takesKey) added['Idempotent-Replayed'] = header('IdempotentReplayed');
    if ((isSuccess || status === '429') && !isHealthRoute(path)) {
      added['RateLimit'] = header('RateLimit');
      added['RateLimit-Policy'] = header('RateLimitPolicy');
    }
    const described = response as { headers?: object };
    described.headers = { ...added, ...described.headers };
  }
}

function takesParameter({ parameters = [] }: Operation, name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}

function sorted(responses: Operation['responses']): Operation['responses'] {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => a.localeCompare(b)));
}
