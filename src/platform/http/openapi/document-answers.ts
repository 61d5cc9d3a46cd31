import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../../../common/errors.js';
import { FOR_UNVERIFIED_EXTENSION } from '../../access/verified-email.js';
import { SCOPE_EXTENSION, scopeFor, type ScopeRule } from '../../access/token-scope.js';
import { codesOf, problemExamples, problemResponses } from './api-problem.decorator.js';
import { COMMON_HEADERS, headerRef, HEADERS } from './document-headers.js';
import { isHealthRoute } from '../request-identity.js';

type Components = NonNullable<OpenAPIObject['components']>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** What every route of a kind can answer, said at one place: routes describe what is their own. */
export function completeAnswers(document: OpenAPIObject): OpenAPIObject {
  const used = new Set<ErrorCode>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.security ??= document.security;
      describeScope(method, operation);
      addProblems(operation, commonCodes(path, method, operation));
      if (method === 'get') addNotModified(operation);
      addHeaders(path, operation);
      for (const response of Object.values(operation.responses)) codesOf(response).forEach((code) => used.add(code));
    }
  }
  const examples = problemExamples([...used].sort()) as Components['examples'];
  document.components = { ...document.components, examples, headers: HEADERS };
  return shareAnswers(document);
}

function commonCodes(path: string, method: string, operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['internal_error'];
  const security = operation.security ?? [];
  const takesToken = security.some((requirement) => 'bearer' in requirement);
  if (takesToken) codes.push('invalid_token');
  const needsToken = takesToken && security.every((requirement) => 'bearer' in requirement);
  if (needsToken) codes.push('unauthorized', 'insufficient_scope');
  if (needsToken && method !== 'get' && !(FOR_UNVERIFIED_EXTENSION in operation)) codes.push('email_not_verified');
  // a parameter that is wrong, or one that is not known
  if (path.startsWith('/v1/')) codes.push('invalid_input');
  if (takesParameter(operation, 'cursor')) codes.push('invalid_cursor');
  if (path.includes('{')) codes.push('uri_too_long');
  // of a writer or a process that is being replaced
  if (method !== 'get') codes.push('malformed_body', 'body_too_large', 'unsupported_media_type', 'shutting_down');
  if (!isHealthRoute(path)) codes.push('rate_limited', 'overloaded', 'database_unavailable');
  return codes;
}

/** The scope that an API token needs, as OpenAPI 3.1 has it: a role beside the scheme. */
function describeScope(method: string, operation: Operation): void {
  const described = operation as Operation & { [SCOPE_EXTENSION]?: ScopeRule };
  const scope = scopeFor(described[SCOPE_EXTENSION], method);
  delete described[SCOPE_EXTENSION];
  operation.security = operation.security!.map((one) => ('bearer' in one ? { bearer: [scope] } : one));
}

function addProblems(operation: Operation, codes: ErrorCode[]): void {
  const { responses } = operation;
  const statuses = new Set(codes.map((code) => String(ERROR_CODES[code][0])));
  const own = [...statuses].flatMap((status) => codesOf(responses[status]));
  const made = problemResponses([...new Set([...own, ...codes])]) as unknown as Operation['responses'];
  operation.responses = sorted({ ...responses, ...made });
}

/** Every JSON answer to a read carries an ETag, as pictures do, and who holds it already is told so. */
function addNotModified(operation: Operation): void {
  const ok = operation.responses['200'] as { content?: object } | undefined;
  const types = Object.keys(ok?.content ?? {});
  if (!types.some((type) => /^(?:application\/json|text\/markdown|image\/)/.test(type))) return;
  operation.responses['304'] ??= { description: 'Not modified: the client holds this representation (If-None-Match).' };
  operation.responses = sorted(operation.responses);
}

function addHeaders(path: string, operation: Operation): void {
  const takesKey = takesParameter(operation, 'Idempotency-Key');
  const isList = takesParameter(operation, 'cursor');
  const isCached = 'X-Cache' in headersOf(operation.responses['304']);
  for (const [status, response] of Object.entries(operation.responses)) {
    const names = [...COMMON_HEADERS];
    const isSuccess = status.startsWith('2');
    if (!isHealthRoute(path)) names.push('RateLimit', 'RateLimit-Policy');
    if ((status === '200' || status === '304') && '304' in operation.responses) names.push('ETag');
    // what was read past the cache may fail after it was marked so
    if (isCached) names.push('X-Cache');
    if (isCached && (status === '200' || status === '304')) names.push('Age');
    if ((isSuccess || status === '304') && isList) names.push('Link');
    if (isSuccess && takesKey) names.push('Idempotent-Replayed');
    const described = response as { headers?: object; description?: string };
    described.headers = { ...Object.fromEntries(names.map((name) => [name, headerRef(name)])), ...described.headers };
    described.description ||= STATUS_CODES[status]!;
  }
}

function headersOf(response: unknown): object {
  return (response as { headers?: object } | undefined)?.headers ?? {};
}

/** Refusals are the same on many routes: each is described once, among the components. */
function shareAnswers(document: OpenAPIObject): OpenAPIObject {
  const shared: Record<string, unknown> = {};
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const responses = item[method]?.responses ?? {};
      for (const [status, response] of Object.entries(responses)) {
        const codes = codesOf(response);
        if (codes.length === 0 && status !== '304') continue;
        const headers = headersOf(response);
        const kinds = ['X-Cache' in headers ? ['cached'] : [], 'RateLimit' in headers ? [] : ['unlimited']].flat();
        const name = [status, ...codes, ...kinds].join('.');
        shared[name] = response;
        responses[status] = { $ref: `#/components/responses/${name}` };
      }
    }
  }
  document.components = { ...document.components, responses: shared as Components['responses'] };
  return document;
}

function takesParameter({ parameters = [] }: Operation, name: string): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === name);
}

function sorted(responses: Operation['responses']): Operation['responses'] {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => a.localeCompare(b)));
}
