import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, type Parameter, resolve, type Schema, withPathValue } from '../support/openapi.js';
import type { RawRequest } from '../support/raw-request.js';
import { costliest, type HostileText, inBody, lines, longest, pairs, type Room, runs } from './hostile-texts.js';
import type { ValidRequest } from './valid-request.js';

/** A place of a request that accepts a text of the client. */
export type Field = {
  name: string;
  operation: Operation;
  texts: () => HostileText[];
  request: (text: string) => RawRequest;
};

/** The space of one value within the limits of the server: 1 MiB of body, 8,000 characters of URL, 16 kB of head. */
const QUERY_LENGTH = 7_500;
const PATH_LENGTHS = [190, QUERY_LENGTH];
const HEADER_LENGTH = 15_300;
const MANY_LINES = 10_000;
/** Up to this length only an exponential pattern takes long, and the other runs find such a pattern. */
const FEW = 300;

const OF_ADDRESSES = [...',-% ', 'a', '\u0300'];
const OF_HEADERS = [...' ",;=:/\\', 'a'];

const inAddress = (size: number): Room => ({ size, sizeOf: (piece) => addressed(piece).length });
const inHeader: Room = { size: HEADER_LENGTH, sizeOf: (piece) => headerValue(piece).length };
/** At this length superlinear work takes seconds, and linear work no noticeable time. */
const LONG = inBody(30_000);
/** Bodies that are expensive to parse, with any fields. */
const LONGEST = [...longest(inBody(1_000_000)), ...costliest(inBody(1_000_000))];
/** Few runs are enough, because a DTO refuses texts above the limit of a field and hostile-rules.spec.ts tests its rules. */
const REFUSED = few(runs(LONG));

/** Places and schemas of texts that were sent before. hostile-rules.spec.ts tests each DTO. */
const met = new Set<string>();

function isMet(place: string, { format, maxLength, enum: values }: Schema): boolean {
  const key = `${place} ${JSON.stringify([format, maxLength, values])}`;
  const isOld = met.has(key);
  met.add(key);
  return isOld;
}

function few(texts: HostileText[]): HostileText[] {
  return texts.filter((_, at) => at % 8 === 0);
}

/** Returns every string of an operation's body, at any depth. */
export function bodyFields(document: OpenAPIObject, operation: Operation, valid: ValidRequest): Field[] {
  if (operation.body === undefined) return [];
  const request = (body: unknown): RawRequest => jsonRequest(operation, valid, JSON.stringify(body));
  return strings(document, operation.body).map(({ path, schema }) => ({
    name: `${operation.id}: ${path.join('.')}`,
    operation,
    texts: () => {
      if (isMet('body', schema)) return [];
      const fitting = { size: (schema.maxLength as number | undefined) ?? 64, sizeOf: (piece: string) => piece.length };
      // The CPU pool renders the text of a post, and its own specs test all of these texts.
      if (fitting.size > MANY_LINES) return [...REFUSED, ...few(runs(fitting)), ...few(lines(fitting))];
      return [...REFUSED, ...(fitting.size > FEW ? runs(fitting) : [])];
    },
    request: (text) => request(withValue(valid.body, path, text)),
  }));
}

/** Bodies in place of the documented one: with another name, or not JSON at all. */
export function oddBodies(operation: Operation, valid: ValidRequest): Field[] {
  return [
    {
      name: `${operation.id}: a name`,
      operation,
      texts: () => [...runs(LONG), ...LONGEST],
      request: (text) => jsonRequest(operation, valid, JSON.stringify({ ...valid.body, [text]: 1 })),
    },
    {
      name: `${operation.id}: no JSON`,
      operation,
      texts: () => [...['', '"', '{"a":', '{"__proto__"'].flatMap((prefix) => runs(LONG, prefix)), ...LONGEST],
      request: (text) => jsonRequest(operation, valid, text),
    },
  ];
}

/** Returns every path and query parameter, because numbers and booleans are texts in a URL, too. */
export function addressFields(operation: Operation, valid: ValidRequest): Field[] {
  return operation.parameters
    .filter((parameter) => parameter.in !== 'header')
    .flatMap((parameter) => {
      const sizes = parameter.in === 'path' ? PATH_LENGTHS : [QUERY_LENGTH];
      return sizes.map((size) => ({
        name: `${operation.id}: ${parameter.name}`,
        operation,
        texts: () => {
          if (isMet(`${parameter.name} ${size}`, parameter.schema)) return [];
          return [...runs(inAddress(size)), ...pairs(inAddress(size), OF_ADDRESSES)];
        },
        request: (text: string) => ({
          ...plainRequest(operation, valid),
          path: withParameter(operation, valid.path, parameter, addressed(text)),
        }),
      }));
    });
}

export function headerField(operation: Operation, valid: ValidRequest, header: string, prefix: string): Field {
  return {
    name: `${operation.id}: ${header}`,
    operation,
    texts: () => [...runs(inHeader, prefix), ...pairs(inHeader, OF_HEADERS)],
    request: (text) => {
      const request = plainRequest(operation, valid);
      return { ...request, headers: { ...request.headers, [header]: headerValue(text) } };
    },
  };
}

/** Returns every string of a schema: its own, those of its objects, and the items of its arrays. */
function strings(
  document: OpenAPIObject,
  schema: Schema,
  path: (string | number)[] = [],
): { path: (string | number)[]; schema: Schema }[] {
  const resolved = { ...resolve(document, schema), ...schema };
  const types = [resolved.type].flat();
  if (types.includes('string')) return [{ path, schema: resolved }];
  if (types.includes('array')) {
    const items = strings(document, resolved.items as Schema, [...path, 0]);
    return items.map((found) => ({ ...found, schema: { example: resolved.example as unknown, ...found.schema } }));
  }
  return Object.entries((resolved.properties ?? {}) as Record<string, Schema>).flatMap(([name, property]) =>
    strings(document, property, [...path, name]),
  );
}

function withValue(target: unknown, [head, ...rest]: (string | number)[], text: string): unknown {
  if (head === undefined) return text;
  if (typeof head === 'number') return [withValue(undefined, rest, text)];
  const object = (target ?? {}) as Record<string, unknown>;
  return { ...object, [head]: withValue(object[head], rest, text) };
}

function withParameter(operation: Operation, valid: string, parameter: Parameter, text: string): string {
  const [address, query] = valid.split('?', 2) as [string, string?];
  if (parameter.in === 'query') return `${address}?${parameter.name}=${text}`;
  return withPathValue(operation, address, parameter.name, text) + (query === undefined ? '' : `?${query}`);
}

function plainRequest(operation: Operation, valid: ValidRequest): RawRequest {
  const { method } = operation;
  return valid.body === undefined
    ? { method, path: valid.path, headers: valid.headers }
    : jsonRequest(operation, valid, JSON.stringify(valid.body));
}

function jsonRequest({ method }: Operation, { path, headers }: ValidRequest, body: string): RawRequest {
  return { method, path, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** Encodes a text for a URL where necessary. */
function addressed(text: string): string {
  return text.replace(/[^\x21-\x7e]|[#?&/]/gu, (letter) => encodeURIComponent(letter));
}

/** Returns the bytes of a text in UTF-8, without those that a header must not contain. */
function headerValue(text: string): string {
  return Buffer.from(text.replace(/[\n\0]/g, ''), 'utf8').toString('latin1');
}
