import fc, { type Arbitrary } from 'fast-check';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, type Parameter, resolve, type Schema } from '../support/openapi.js';
import { PUBLISHED, EMAIL_ADDRESS, webUrl } from '../../src/platform/http/validation/text-rules.js';
import { IMAGE_URL } from '../../src/platform/http/validation/web-url.decorator.js';
import { TAG_PATTERN } from '../../src/platform/http/validation/tags.decorator.js';
import { LINE } from '../../src/platform/http/validation/line.decorator.js';
import { DISPLAY_NAME, LONG_TEXT } from '../../src/users/profile-rules.js';
import { NEW_USERNAME_PATTERN } from '../../src/users/username.js';
import type { RawRequest } from '../support/raw-request.js';

/** Longer texts and lists are not sent every time. The longest ones have their own test. */
const USUAL_LENGTH = 300;

/** Valid requests by the document, with shortest and longest values among them; `known` has ids of existing things. */
export function schemaRequest(
  document: OpenAPIObject,
  operation: Operation,
  known: Record<string, string[]>,
): Arbitrary<RawRequest> {
  const of = (place: Parameter['in']): Parameter[] =>
    operation.parameters.filter((parameter) => parameter.in === place);
  const values = (parameters: Parameter[]): Arbitrary<Record<string, unknown>> =>
    fc.record(
      Object.fromEntries(
        parameters.map(({ name, schema }) => {
          // Ids of notifications have another form than other ids.
          const fitting = (known[name] ?? []).filter((value) =>
            new RegExp((schema.pattern as string) ?? '', 'u').test(value),
          );
          const made = valueOf(document, schema);
          return [name, fitting.length === 0 ? made : fc.oneof(made, fc.constantFrom(...fitting))];
        }),
      ),
      { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) },
    );
  const body = operation.body === undefined ? fc.constant(undefined) : valueOf(document, operation.body);
  return fc
    .record({ path: values(of('path')), query: values(of('query')), headers: values(of('header')), body })
    .map(({ path, query, headers, body }) => {
      const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
      const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
      return {
        method: operation.method,
        path: pairs.length === 0 ? address : `${address}?${pairs.join('&')}`,
        headers: {
          ...(headers as Record<string, string>),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      };
    });
}

/** Values that a schema allows. */
export function valueOf(document: OpenAPIObject, schema: Schema): Arbitrary<unknown> {
  const { type, ...rest } = { ...resolve(document, schema)!, ...(schema.$ref === undefined ? schema : {}) };
  if (rest.enum !== undefined) return fc.constantFrom(...(rest.enum as unknown[]));
  if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => ofType(document, one, rest)));
  return ofType(document, type as string, rest);
}

function ofType(document: OpenAPIObject, type: string, schema: Schema): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer': {
      const { minimum: min, maximum: max } = schema as { minimum: number; maximum: number };
      return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
    }
    case 'number': {
      const { minimum: min, maximum: max } = schema as { minimum: number; maximum: number };
      return fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }));
    }
    case 'array': {
      const items = valueOf(document, schema.items as Schema);
      const length = { minLength: schema.minItems ?? 0, maxLength: schema.maxItems as number };
      return schema.uniqueItems ? fc.uniqueArray(items, length) : fc.array(items, length);
    }
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
      const values = properties.map(
        ([name, property]) => [name, knownValue(name) ?? valueOf(document, property)] as const,
      );
      return fc.record(Object.fromEntries(values), { requiredKeys: (schema.required ?? []) as string[] });
    }
    default:
      return textOf(schema);
  }
}

/** Fields that name the caller's own row (test/e2e/own-pictures.spec.ts, test/e2e/notifications.spec.ts), and the time zone. */
function knownValue(name: string): Arbitrary<unknown> | undefined {
  if (name.endsWith('MediaId')) return fc.constant(null);
  if (name === 'timeZone') return fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu');
  return name === 'upTo' ? fc.constant(undefined) : undefined;
}

const TIMES = { min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true };
const hostPath = "(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.){1,8}[a-z]{2,24}(?:/[A-Za-z0-9._~!$&'()*+,;=:@/-]*)?$";

/** Full rules of patterns that publish only the ASCII part. Of two rules with one pattern, the stricter one is listed. */
const EXACT: Record<string, RegExp> = {
  [PUBLISHED.line]: LINE,
  [PUBLISHED.filledLine]: DISPLAY_NAME,
  [PUBLISHED.lines]: LONG_TEXT,
  [PUBLISHED.tag]: TAG_PATTERN,
  [PUBLISHED.word]: /[\p{L}\p{N}]/u,
  [PUBLISHED.username]: NEW_USERNAME_PATTERN,
  [EMAIL_ADDRESS.pattern]:
    /^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}$/u,
  [webUrl('https').pattern]: new RegExp(`^https://${hostPath}`, 'u'),
  [IMAGE_URL.pattern]: new RegExp(`^https://${hostPath}`, 'u'),
  [webUrl('https?').pattern]: new RegExp(`^https?://${hostPath}`, 'u'),
};

/** Fills patterns of allowed characters with characters of all scripts, and follows those of ids, names and URLs. */
function textOf({ pattern = '', minLength = 0, maxLength = USUAL_LENGTH, not, format }: Schema): Arbitrary<string> {
  if (format === 'date-time') return fc.date(TIMES).map((time) => time.toISOString());
  if (format === 'date') return fc.date(TIMES).map((time) => time.toISOString().slice(0, 10));
  const rule = EXACT[pattern as string] ?? new RegExp(pattern as string, 'u');
  const lookahead = /\(\?[=!][^()]*\)/g;
  const isFree = pattern === '' || /\\[ps]/i.test(rule.source.replace(lookahead, ''));
  const made = isFree
    ? freeText(rule, minLength as number, Math.min(maxLength as number, USUAL_LENGTH))
    : fc.stringMatching(new RegExp(rule.source.replace(lookahead, '')));
  return made.filter((text) => {
    const length = [...text].length;
    const isReserved = (not?.enum as string[] | undefined)?.includes(text) ?? false;
    return rule.test(text) && length >= minLength && length <= maxLength && !isReserved;
  });
}

function freeText(rule: RegExp, min: number, max: number): Arbitrary<string> {
  const sets = [
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ];
  const letter = fc.oneof(...sets, fc.constantFrom(...'aZ9-_ éßñжж字あ😀𝒳'));
  const unit = letter.filter((text) => [...text].length === 1 && rule.test(`a${text}`) && isStable(text, rule));
  const ofLength = (length: number): Arbitrary<string> =>
    fc.array(unit, { minLength: length, maxLength: length }).map((units) => units.join(''));
  return fc.oneof(ofLength(min), ofLength(max), fc.integer({ min, max }).chain(ofLength));
}

/** A few characters become longer in NFC or lower case. The length counts after that, which a schema cannot express. */
function isStable(text: string, rule: RegExp): boolean {
  const kept = text.normalize('NFC').toLowerCase();
  return [...kept].length === 1 && rule.test(`a${kept}`);
}
