import type { OpenAPIObject } from '@nestjs/swagger';
import type { RawRequest } from '../support/raw-request.js';
import { type Operation, type Parameter, resolve, type Schema, withPathValue } from '../support/openapi.js';
import type { ValidRequest } from './valid-request.js';

/** One request that must be refused; `names` are the fields that the refusal must name. */
export type HostileCase = RawRequest & { title: string; statuses: number[]; names: string[] };

const JSON_TYPE = { 'content-type': 'application/json' };
const BAD_IDS = [
  'x',
  '123',
  'g'.repeat(24),
  '6650C3A2F1D2B3C4D5E6F708',
  `${'a'.repeat(24)}0`,
  '%7B%22$gt%22:%22%22%7D',
  '%00',
];
const BAD_NAMES = ['$ne', '%7B%22$gt%22:%22%22%7D', '%00', '%0d%0aset-cookie:a=b', 'x'.repeat(150), '__proto__', '*'];
const BAD_INTEGERS = ['0', '-1', '1.5', '1e1', '+7', '07', '%207', 'ten', '', '99999999999999999999', '%D9%A7', 'NaN'];
const BAD_CURSORS = ['x', 'a'.repeat(48), 'a'.repeat(201), '%7B%22$gt%22:%22%22%7D', '', '%00'];
const BAD_TEXTS = ['%7B%22$gt%22:%22%22%7D', '$where', '%00', 'a'.repeat(2_000), ''];

/** Values refused before the field checks, like a field `toString`, so that the refusal names one field. */
const UNREADABLE_VALUES: unknown[] = [{ toString: 'x', length: 5 }, '\ud800'];

/** Fields that a client may not set; refused unless the schema of the body has them. */
const MASS_ASSIGNMENT = [
  '_id', 'id', 'role', 'stats', 'authorId', 'author', 'authorSnapshot', 'rank', 'isListed', 'version', 'slug', 'createdAt',
  'updatedAt', 'deletedAt', 'likesPerPost', 'contentPreview', 'readTime', 'isEdited', 'isVisible', 'ancestors', 'postId', 'userId',
  'passwordHash', 'previousUsernames', 'featuredPostIds', 'snapshotVersion', '$set', '$inc', 'surprise',
]; // prettier-ignore

/**
 * Wrong requests for an operation: the valid one with one wrong parameter, or a wrong body.
 * @param tried rules of parameters that were tried with all wrong values; of such a rule, the operation gets only the first two
 */
export function hostileCases(
  document: OpenAPIObject,
  operation: Operation,
  valid: ValidRequest,
  tried: Set<string>,
): HostileCase[] {
  return [
    ...operation.parameters.flatMap((parameter) => {
      if (parameter.in === 'header') return headerCases(operation, parameter, valid);
      const cases = parameter.in === 'path' ? pathCases : queryCases;
      const { in: place, name, schema } = parameter;
      const rule = JSON.stringify([place, name, schema.type, schema.pattern, schema.enum, schema.maximum]);
      const all = cases(operation, parameter, valid);
      if (tried.has(rule)) return all.slice(0, 2);
      tried.add(rule);
      return all;
    }),
    ...unknownQuery(operation, valid),
    ...(operation.body === undefined ? [] : bodyCases(document, operation, valid)),
  ];
}

function base({ method }: Operation, { path, headers, body }: ValidRequest): RawRequest {
  if (body === undefined || Buffer.isBuffer(body)) return { method, path, headers, body };
  return { method, path, headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
}

function pathCases(operation: Operation, { name, schema }: Parameter, valid: ValidRequest): HostileCase[] {
  const isId = schema.pattern?.includes('[0-9a-f]{24}') as boolean;
  const withValue = (value: string): string => {
    const [path, query] = valid.path.split('?', 2);
    return withPathValue(operation, path!, name, value) + (query === undefined ? '' : `?${query}`);
  };
  const refused = (value: string, statuses: number[], names: string[] = []): HostileCase => {
    return {
      ...base(operation, valid),
      path: withValue(value),
      title: `${name}=${value.slice(0, 30)}`,
      statuses,
      names,
    };
  };
  return [
    ...(isId
      ? BAD_IDS.map((value) => refused(value, [400], [name]))
      : BAD_NAMES.map((value) => refused(value, [400, 404]))),
    refused('%zz', [400]),
    refused('a'.repeat(3_000), [400, 404, 414]),
  ];
}

function queryCases(operation: Operation, { name, schema }: Parameter, valid: ValidRequest): HostileCase[] {
  const query = new URLSearchParams(valid.path.split('?')[1]);
  query.delete(name);
  const withQuery = (text: string): string => {
    const rest = query.toString();
    return `${valid.path.split('?')[0]}?${rest === '' ? '' : `${rest}&`}${text}`;
  };
  const refused = (text: string): HostileCase => {
    return {
      ...base(operation, valid),
      path: withQuery(text),
      title: text.slice(0, 40),
      statuses: [400],
      names: [name],
    };
  };
  const example = encodeURIComponent(String(schema.example ?? schema.enum?.[0] ?? 'a'));
  const bad =
    name === 'cursor'
      ? BAD_CURSORS
      : schema.type === 'integer'
        ? [...BAD_INTEGERS, String(schema.maximum + 1)]
        : badTexts(schema);
  return [
    ...bad.map((value) => refused(`${name}=${value}`)),
    ...(schema.type === 'array' ? [] : [refused(`${name}=${example}&${name}=${example}`)]),
    ...[`${name}[$ne]=1`, `${name}[]=1`, `${name}%5B$gt%5D=`, `${name}.$gt=1`].map((text) => ({
      ...refused(text),
      names: [],
    })),
  ];
}

/** Invalid texts for a field that accepts any text. */
function badTexts(schema: Schema): string[] {
  return BAD_TEXTS.filter((text) => !fits(schema, decodeURIComponent(text)));
}

/** Operations that ignore unknown parameters, because other sites add them to links. */
const IGNORE_QUERIES = ['getFeed', 'getAuthorFeed', 'getTagFeed', 'getCollectionFeed', 'getMediaFile'];

function unknownQuery(operation: Operation, valid: ValidRequest): HostileCase[] {
  // A provider may add any parameters to its response.
  if (!operation.path.startsWith('/v1/') || operation.id === 'finishProviderSignIn') return [];
  const mark = valid.path.includes('?') ? '&' : '?';
  const reserved = ['__proto__', 'constructor'];
  return (IGNORE_QUERIES.includes(operation.id) ? reserved : ['surprise', ...reserved]).map((name) => {
    const path = `${valid.path}${mark}${name}=1`;
    // Fastify's parser drops fields that could reach a prototype before the server sees them
    return { ...base(operation, valid), path, title: `?${name}=1`, statuses: [400], names: [name] };
  });
}

function headerCases(operation: Operation, { name }: Parameter, valid: ValidRequest): HostileCase[] {
  const values = name === 'Idempotency-Key' ? ['', 'a'.repeat(65), 'two words'] : ['', 'nonsense', 'W/"x'];
  return values.map((value) => {
    const request = base(operation, valid);
    const headers = { ...request.headers, [name]: value };
    return { ...request, headers, title: `${name}: ${value.slice(0, 20)}`, statuses: [400, 412], names: [] };
  });
}

/** Returns each wrong value of each field. A body has one of every field, because a refusal names all wrong fields. */
function bodyCases(document: OpenAPIObject, operation: Operation, valid: ValidRequest): HostileCase[] {
  const schema = operation.body!;
  const known = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const changed = (fields: [name: string, value: unknown][]): HostileCase[] => {
    if (fields.length === 0) return [];
    const body = JSON.stringify({ ...valid.body, ...Object.fromEntries(fields) });
    return [{ ...bodyCase(operation, valid, body.slice(0, 200), body), names: fields.map(([name]) => name) }];
  };
  const wrong = known.map(([name, property]) => {
    return [name, wrongValues({ ...resolve(document, property), ...property })] as const;
  });
  const most = Math.max(0, ...wrong.map(([, values]) => values.length));
  const text = known.find(([, property]) => [resolve(document, property)!['type']].flat().includes('string'));
  return [
    ...[undefined, 'null', '[]'].map((body) => bodyCase(operation, valid, body ?? 'no body', body)),
    bodyCase(operation, valid, 'a text', JSON.stringify(valid.body), [415], { 'content-type': 'text/plain' }),
    ...changed(
      MASS_ASSIGNMENT.filter((name) => !Object.hasOwn(schema.properties ?? {}, name)).map((name) => [name, 1]),
    ),
    ...changed(((schema.required ?? []) as string[]).map((name) => [name, undefined])),
    ...Array.from({ length: most }, (_, at) => {
      const left = wrong.filter(([, values]) => at < values.length);
      return changed(left.map(([name, values]) => [name, values[at]]));
    }).flat(),
    ...changed([['toString', 1]]),
    ...(text === undefined ? [] : UNREADABLE_VALUES.flatMap((value) => changed([[text[0], value]]))),
  ];
}

/** Bodies that the server refuses before the operation sees them. */
export function unreadableBodies(operation: Operation, valid: ValidRequest): HostileCase[] {
  const refused = (title: string, body: string | Buffer, statuses = [400]): HostileCase =>
    bodyCase(operation, valid, title, body, statuses);
  const open = JSON.stringify(valid.body).slice(0, -1);
  const more = Object.keys(valid.body ?? {}).length === 0 ? '' : ',';
  const texts = ['', '"text"', '1', 'true', '{', '{"a":1,}', "{'a':1}", '\u0000', 'undefined'];
  const types = ['application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense'];
  return [
    ...texts.map((text) => refused(`body: ${text}`, text)),
    refused('invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    ...types.map((type) => bodyCase(operation, valid, type, `${open}}`, [415], { 'content-type': type })),
    refused('too large', JSON.stringify({ ...valid.body, a: 'a'.repeat(2_700_000) }), [413]),
    refused('too deep', `${open}${more}"deep":${'['.repeat(20)}${']'.repeat(20)}}`),
    refused('much too deep', `${open}${more}"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
    refused('too many keys', `${open}${more}"many":{${Array.from({ length: 300 }, (_, at) => `"k${at}":1`).join()}}}`),
    refused('__proto__', `${open}${more}"__proto__":{"polluted":true}}`),
    refused('constructor', `${open}${more}"constructor":{"prototype":{"polluted":true}}}`),
  ];
}

function bodyCase(
  { method }: Operation,
  { path, headers }: ValidRequest,
  title: string,
  body: string | Buffer | undefined,
  statuses = [400],
  type: Record<string, string> = JSON_TYPE,
): HostileCase {
  return { method, path, headers: { ...headers, ...type }, body, title, statuses, names: [] };
}

/** Values that a schema does not allow. */
function wrongValues(schema: Schema): unknown[] {
  const types: string[] = [schema.type ?? 'object'].flat();
  const samples: [string, unknown][] = [
    ['null', null],
    ['integer', 7],
    ['boolean', true],
    ['string', 'no'],
    ['array', ['a', 'b']],
    ['object', { a: 1 }],
    ['object', { $gt: '' }],
    ['object', { $ne: null }],
  ];
  // An object schema checks its own properties, so any other object is wrong unless the schema is free.
  const isFree = schema.additionalProperties === true;
  const isAllowed = (type: string): boolean => types.includes(type) || (type === 'integer' && types.includes('number'));
  const isWrong = (type: string): boolean => (type === 'object' && !isFree) || !isAllowed(type);
  const wrong = samples.filter(([type]) => isWrong(type)).map(([, value]) => value);
  if (types.includes('integer')) wrong.push(7.5, (schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1);
  if (types.includes('string')) {
    const texts = ['', '   ', '!', '$where', '\u0000'.repeat(5), 'a'.repeat((schema.maxLength ?? 0) + 1)];
    wrong.push(...texts.filter((text) => !fits(schema, text)));
  }
  if (types.includes('array'))
    wrong.push(
      [{ $gt: '' }],
      [null],
      [['a']],
      Array.from({ length: 50 }, (_, at) => `tag${at}`),
    );
  return wrong;
}

/** Returns whether a schema allows the text. */
function fits({ enum: values, minLength = 0, maxLength = Infinity, pattern = '' }: Schema, text: string): boolean {
  if (values !== undefined && !values.includes(text)) return false;
  return text.length >= minLength && text.length <= maxLength && new RegExp(pattern, 'u').test(text);
}
