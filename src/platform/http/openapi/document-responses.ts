import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../../../common/errors.js';
import { ROLE_EXTENSION } from '../../access/access.decorator.js';
import { FOR_RESTRICTED_EXTENSION, type RestrictedEffect } from '../../access/verified-email.js';
import { SCOPE_EXTENSION, scopeFor, type ScopeRule } from '../../access/token-scope.js';
import { Problem, PROBLEM_CONTENT_TYPE, problemOf } from '../problems/problem.js';
import { isHealthRoute } from '../request-identity.js';
import { CODES_EXTENSION } from './api-problem.decorator.js';
import { COMMON_HEADERS, headerRefs, HEADERS } from './document-headers.js';

type Components = NonNullable<OpenAPIObject['components']>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { [CODES_EXTENSION]?: ErrorCode[] };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const ORDER = Object.keys(ERROR_CODES) as ErrorCode[];

/** The response of all problems, so that generated clients get one type. Each operation lists its codes. */
const PROBLEM_RESPONSE = {
  description: 'A problem (RFC 9457). Its `code` is for programs: one of `x-error-codes` of the route.',
  content: {
    [PROBLEM_CONTENT_TYPE.split(';')[0]!]: {
      schema: { $ref: `#/components/schemas/${Problem.name}` },
      example: problemOf('invalid_input', 'title: must not be empty', '/v1/posts', 'req-4f9a-1', [
        { field: 'title', message: 'must not be empty' },
      ]),
    },
  },
};

/** Adds the responses that routes have in common, so that each route documents only its own. */
export function addCommonResponses(document: OpenAPIObject): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation: Operation | undefined = item[method];
      if (operation === undefined) continue;
      operation.security ??= document.security ?? [];
      describeScope(method, operation);
      describeRole(operation);
      addProblems(operation, commonCodes(path, method, operation));
      addHeaders(path, operation);
    }
  }
  const responses = { Problem: PROBLEM_RESPONSE } as unknown as Components['responses'];
  document.components = { ...document.components, responses, headers: HEADERS };
  return document;
}

function commonCodes(path: string, method: string, operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['internal_error'];
  const security = operation.security ?? [];
  const acceptsToken = security.some((requirement) => 'bearer' in requirement);
  if (acceptsToken) codes.push('invalid_token');
  const needsToken = acceptsToken && security.every((requirement) => 'bearer' in requirement);
  if (needsToken) codes.push('unauthorized', 'insufficient_scope');
  const effect = (operation as { [FOR_RESTRICTED_EXTENSION]?: RestrictedEffect })[FOR_RESTRICTED_EXTENSION];
  const isOpen = effect !== undefined && effect !== 'emptying';
  if (needsToken && method !== 'get' && !isOpen) codes.push('email_not_verified', 'account_suspended');
  // for an invalid or unknown parameter
  if (path.startsWith('/v1/')) codes.push('invalid_input');
  if (acceptsParameter(operation, 'cursor')) codes.push('invalid_cursor');
  if (path.includes('{')) codes.push('uri_too_long');
  // Clients get `shutting_down` during a replacement of the writer or of this process.
  if (method !== 'get') codes.push('malformed_body', 'body_too_large', 'unsupported_media_type', 'shutting_down');
  if (acceptsToken && operation.requestBody !== undefined) codes.push('byte_budget_spent');
  if (!isHealthRoute(path)) codes.push('rate_limited', 'overloaded', 'database_unavailable');
  return codes;
}

/** Adds the scope for API tokens as a role of the security scheme (OpenAPI 3.1). A public route gets an empty list. */
function describeScope(method: string, operation: Operation): void {
  const described = operation as Operation & { [SCOPE_EXTENSION]?: ScopeRule };
  const scope = scopeFor(described[SCOPE_EXTENSION], method);
  delete described[SCOPE_EXTENSION];
  const acceptsToken = operation.security!.some((one) => 'bearer' in one);
  operation.security = acceptsToken
    ? operation.security!.map((one) => ('bearer' in one ? { bearer: [scope] } : one))
    : [];
}

function describeRole(operation: Operation & { [ROLE_EXTENSION]?: string }): void {
  if (operation[ROLE_EXTENSION] === 'user') delete operation[ROLE_EXTENSION];
}

function addProblems(operation: Operation, common: ErrorCode[]): void {
  const own = operation[CODES_EXTENSION] ?? [];
  const codes = ORDER.filter((code) => own.includes(code) || common.includes(code));
  operation[CODES_EXTENSION] = codes;
  // Omits 304, because generated clients send no If-None-Match, and a 304 would make the result of every read optional.
  const { 304: _notModified, ...responses } = operation.responses as Record<string, object>;
  operation.responses = { ...responses, default: { $ref: '#/components/responses/Problem' } };
}

/** Adds the common headers that routes do not declare. */
function addHeaders(path: string, operation: Operation): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (status === 'default') continue;
    const described = response as { headers?: object; description?: string };
    described.headers = { ...(isHealthRoute(path) ? {} : headerRefs(...COMMON_HEADERS)), ...described.headers };
    if (Object.keys(described.headers).length === 0) delete described.headers;
    described.description ||= STATUS_CODES[status]!;
  }
}

function acceptsParameter({ parameters = [] }: Operation, name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}
