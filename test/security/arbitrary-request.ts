import fc, { type Arbitrary } from 'fast-check';
import type { OpenAPIObject } from '@nestjs/swagger';
import { exampleOf, type Operation, type Parameter, resolve, type Schema } from '../support/openapi.js';
import type { RawRequest } from '../support/raw-request.js';

/** Existing values by parameter name, and access tokens, so that a request often passes validation. */
export type Known = { values: Record<string, string[]>; tokens: string[] };

export type FuzzRequest = { id: string; request: RawRequest };

const JUNK = [
  '', ' ', '0', '-1', '1e309', 'null', 'true', '{}', '[]', '{"$gt":""}', '$where', '../..', '%00', '%zz', '\u202e', '🧵', 'ǅ', '__proto__',
  'constructor', "' or 1=1 --", '<script>', 'a'.repeat(300), '٣', '\n', '\r\nx-evil: 1', ';', '?', '#', '&&', '==', '%', '\\', '\ufeff',
]; // prettier-ignore

const junk = fc.oneof(
  fc.constantFrom(...JUNK),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

/** Returns valid and invalid requests by the document, for all operations. */
export function arbitraryRequest(
  document: OpenAPIObject,
  operations: Operation[],
  known: Known,
): Arbitrary<FuzzRequest> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({
        path: pathOf(operation, known),
        query: queryOf(operation, known),
        headers: headersOf(operation, known),
        body: bodyOf(document, operation),
      })
      .map(({ path, query, headers, body }) => ({
        id: operation.id,
        request: {
          method: operation.method,
          path: query === '' ? path : `${path}?${query}`,
          headers: body === undefined ? headers : { ...headers, 'content-type': body.type },
          body: body?.text,
        },
      })),
  );
}

function pathOf({ path, parameters }: Operation, known: Known): Arbitrary<string> {
  const parts = parameters.filter((parameter) => parameter.in === 'path');
  const names = parts.map(({ name }) => name);
  const segments = parts.map((parameter) => {
    const there = known.values[parameter.name] ?? [exampleOf(parameter)];
    const odd = junk.map(encode).filter((text) => text !== '' && text !== '.' && text !== '..');
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...there) }, { weight: 1, arbitrary: odd });
  });
  return fc.tuple(...segments).map((values) => {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => values[names.indexOf(name)]!);
  });
}

function queryOf({ parameters }: Operation, known: Known): Arbitrary<string> {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => {
      const right = rightValue(parameter, known).map((value) => `${parameter.name}=${encode(value)}`);
      const wrong = fc.tuple(fc.constantFrom('', '[]', '[$ne]', '.a'), junk).map(([suffix, value]) => {
        return `${parameter.name}${suffix}=${encode(value)}`;
      });
      const absent = fc.constant('');
      const usual = { weight: parameter.required ? 8 : 3, arbitrary: right };
      return fc.oneof(
        usual,
        { weight: 1, arbitrary: wrong },
        { weight: parameter.required ? 1 : 6, arbitrary: absent },
      );
    });
  const extra = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.tuple(junk, junk).map(([name, value]) => `${encode(name)}=${encode(value)}`) },
    { weight: 1, arbitrary: junk.map((text) => encodeURI(wellFormed(text)).replaceAll('#', '')) },
  );
  return fc.tuple(...pairs, extra).map((parts) => parts.filter((part) => part !== '').join('&'));
}

function rightValue({ name, schema }: Parameter, known: Known): Arbitrary<string> {
  const there = known.values[name];
  if (there !== undefined) return fc.constantFrom(...there);
  return valueOf(schema).map((value) => String(value));
}

function headersOf({ parameters }: Operation, { tokens }: Known): Arbitrary<Record<string, string>> {
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const optional = <T>(weight: number, arbitrary: Arbitrary<T>): Arbitrary<T | null> => {
    return fc.oneof({ weight, arbitrary }, { weight: 10 - weight, arbitrary: fc.constant(null) });
  };
  const bearer = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...tokens).map((token) => `Bearer ${token}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'bearer  ', tokens[0]!),
    },
  );
  return fc
    .record({
      authorization: optional(7, bearer),
      'accept-encoding': optional(4, fc.constantFrom('br', 'gzip', 'zstd', 'identity', '*;q=0', 'gzip;q=x', ',')),
      'if-none-match': optional(2, fc.constantFrom('*', '*', '"x"', 'W/"x"', '"', ',')),
      'if-match': optional(1, fc.constantFrom('*', '"1-x"', '"2-y"', '1', 'W/"1-x"', '"')),
      'idempotency-key': optional(takesKey ? 5 : 1, fc.constantFrom('k1', 'k2', 'k3', 'two words', 'x'.repeat(100))),
      range: optional(1, fc.constantFrom('bytes=0-1', 'bytes=9-', 'x')),
      'x-forwarded-for': optional(1, fc.constantFrom('1.2.3.4', 'x', '::1, 1.1.1.1')),
      'x-request-id': optional(1, fc.constantFrom('mine-1', 'a b', 'x'.repeat(200))),
      'cache-control': optional(1, fc.constantFrom('no-cache', 'max-age=0', 'no-store')),
      origin: optional(1, fc.constantFrom('https://example.org', 'null')),
    })
    .map((headers) => {
      return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== null));
    });
}

type Body = { type: string; text: string } | undefined;

function bodyOf(document: OpenAPIObject, { body, method }: Operation): Arbitrary<Body> {
  const json = (value: unknown): Body => ({ type: 'application/json', text: JSON.stringify(value) });
  const odd = fc.oneof(
    fc.jsonValue().map(json),
    junk.map((text) => ({ type: 'application/json', text })),
    fc.constant({ type: 'text/plain', text: 'hello' }),
    fc.constant({ type: 'application/json; charset=utf-16', text: '{}' }),
  );
  const none = fc.constant(undefined);
  if (body === undefined || method === 'GET') {
    return fc.oneof({ weight: 15, arbitrary: none }, { weight: method === 'GET' ? 0 : 1, arbitrary: odd });
  }
  const right = objectOf(document, body).map(json);
  return fc.oneof({ weight: 10, arbitrary: right }, { weight: 1, arbitrary: odd }, { weight: 1, arbitrary: none });
}

/** Returns mostly valid objects. Sometimes a field is missing, wrong or additional. */
function objectOf(document: OpenAPIObject, schema: Schema): Arbitrary<object> {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, property]) => {
    const resolved = resolve(document, property)!;
    const right = resolved.properties ? objectOf(document, resolved) : valueOf({ ...resolved, ...property });
    const value = fc.oneof(
      { weight: 14, arbitrary: right },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
      { weight: 1, arbitrary: junk },
      { weight: (schema.required as string[] | undefined)?.includes(name) ? 1 : 8, arbitrary: fc.constant(undefined) },
    );
    return [name, value] as const;
  });
  const extra = fc.oneof(
    { weight: 15, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(junk, junk) },
  );
  return fc.tuple(fc.record(Object.fromEntries(fields)), extra).map(([own, more]) => ({ ...own, ...more }));
}

function valueOf(schema: Schema): Arbitrary<unknown> {
  const types: string[] = [schema.type ?? 'string'].flat();
  const example = schema.example === undefined ? [] : [{ weight: 2, arbitrary: fc.constant<unknown>(schema.example) }];
  const none = types.includes('null') ? [{ weight: 1, arbitrary: fc.constant<unknown>(null) }] : [];
  return fc.oneof(
    {
      weight: 3,
      arbitrary: ofType(
        schema,
        types.find((type) => type !== 'null')!,
      ),
    },
    ...example,
    ...none,
  );
}

function ofType(schema: Schema, type: string): Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (type) {
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf((schema.items as Schema | undefined) ?? {}), { maxLength: schema.maxItems ?? 5 });
    case 'object':
      return fc.dictionary(fc.string(), fc.jsonValue());
    default: {
      const length = { minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 60, 300) };
      return fc.oneof(fc.string({ unit: 'grapheme', ...length }), fc.string(length));
    }
  }
}

/** Encodes as a browser would, with half surrogates as replacement characters. */
function encode(text: string): string {
  return encodeURIComponent(wellFormed(text));
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
