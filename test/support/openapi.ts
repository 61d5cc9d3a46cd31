import type { OpenAPIObject } from '@nestjs/swagger';
import type { Role } from '../../src/platform/access/viewer.js';
import { ERROR_CODES, type ErrorCode } from '../../src/common/errors.js';

const PROBLEM = 'application/problem+json';

export type Schema = Record<string, any>;

export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema };

type Response = { content?: Record<string, { schema?: Schema; examples?: object }>; headers?: Record<string, Schema> };

export type Operation = {
  /** Operation id. */
  id: string;
  /** Method and path, like `GET /v1/posts/{idOrSlug}`. */
  name: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  tags: string[];
  access: 'public' | 'optional' | 'required';
  /** Why an unverified or suspended account may send it: `self`, `removal` or `emptying`. */
  forRestricted: string | undefined;
  /** The lowest role that may call it. */
  role: Role;
  /** What its examples need beside the demo data. */
  exampleNeeds: string | undefined;
  /** Scopes of an API token. */
  scopes: string[];
  parameters: Parameter[];
  /** Schema of the JSON body. */
  body: Schema | undefined;
  /** Name of the body's schema. */
  inputName: string | undefined;
  responses: Record<string, Response>;
};

/** Returns the operations of the document as a list. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((verb): Operation[] => {
      const operation = item[verb] as Record<string, any> | undefined;
      if (operation === undefined) return [];
      const method = verb.toUpperCase();
      return [
        {
          id: operation.operationId,
          name: `${method} ${path}`,
          method,
          path,
          summary: operation.summary,
          description: operation.description,
          tags: operation.tags ?? [],
          access: accessOf(operation.security ?? document.security ?? []),
          forRestricted: operation['x-for-restricted'],
          role: operation['x-role'] ?? 'user',
          exampleNeeds: operation['x-example-needs'],
          scopes: (operation.security as Record<string, string[]>[]).flatMap(({ bearer = [] }) => bearer),
          parameters: (operation.parameters ?? []).map((one: Parameter) => {
            const { $ref: _, ...own } = one.schema;
            return { ...one, schema: { ...resolve(document, one.schema), ...own } };
          }),
          body: resolve(document, operation.requestBody?.content?.['application/json']?.schema),
          inputName: operation['requestBody']?.content?.['application/json']?.schema?.$ref?.split('/').at(-1),
          responses: responsesOf(document, operation),
        },
      ];
    }),
  );
}

export function exampleOf({ schema }: Parameter): string {
  return String(schema.example ?? schema.enum?.[0]);
}

/** Returns the URL that Swagger UI sends, with all required parameters and all that have an example. */
export function addressOf({ path, parameters }: Operation): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    exampleOf(parameters.find((one) => one.name === name)!),
  );
  const query = parameters.filter(
    ({ in: place, schema, required }) => place === 'query' && (required || schema.example !== undefined),
  );
  const pairs = query.map((one) => `${one.name}=${encodeURIComponent(exampleOf(one))}`);
  return pairs.length === 0 ? address : `${address}?${pairs.join('&')}`;
}

/** Returns the operation's path with another value of one parameter, which may be a part of a segment (`feed.{format}`). */
export function withPathValue({ path }: Operation, valid: string, name: string, value: string): string {
  const segments = path.split('/');
  const at = segments.findIndex((segment) => segment.includes(`{${name}}`));
  return valid
    .split('/')
    .map((part, index) => (index === at ? segments[at]!.replace(`{${name}}`, () => value) : part))
    .join('/');
}

/** Returns the schema behind its first reference. */
export function resolve(document: OpenAPIObject, schema: Schema | undefined): Schema | undefined {
  const target = schema?.$ref ?? (schema?.allOf?.length === 1 ? schema.allOf[0].$ref : undefined);
  if (target === undefined) return schema;
  return (document.components!.schemas as Record<string, Schema>)[target.replace('#/components/schemas/', '')];
}

/** Responses by status, with references resolved. The shared response for problems is listed under the status of each of its codes. */
function responsesOf(document: OpenAPIObject, operation: Record<string, any>): Record<string, Response> {
  const { responses: shared, headers } = document.components as Record<string, Record<string, any>>;
  const target = (value: any, among: Record<string, any>): any =>
    '$ref' in value ? among[value.$ref.split('/').at(-1)] : value;
  const { default: problem, ...responses } = operation['responses'] as Record<string, object>;
  const { content } = target(problem, shared!) as Response;
  for (const code of operation['x-error-codes'] as ErrorCode[]) {
    const status = String(ERROR_CODES[code][0]);
    const own = (responses[status] ?? {}) as Response;
    const examples = { ...own.content?.[PROBLEM]?.examples, [code]: {} };
    responses[status] = { ...own, content: { ...own.content, [PROBLEM]: { ...content![PROBLEM], examples } } };
  }
  return Object.fromEntries(
    Object.entries(responses).map(([status, value]) => {
      const response = target(value, shared!) as Response;
      const own = Object.entries(response.headers ?? {}).map(([name, header]) => [name, target(header, headers!)]);
      return [status, { ...response, headers: Object.fromEntries(own) }];
    }),
  );
}

function accessOf(security: object[]): Operation['access'] {
  const withToken = security.some((requirement) => 'bearer' in requirement);
  if (!withToken) return 'public';
  return security.every((requirement) => 'bearer' in requirement) ? 'required' : 'optional';
}
