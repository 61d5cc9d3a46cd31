import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { isApiRoute, routeOf } from './request-identity.js';

/** The error message for an unsupported content type. */
export const MEDIA_TYPES = 'Send the body as application/json, a file as multipart/form-data.';

/** What the decorators AcceptsFile and IgnoresForm add to a route. */
export type UploadRoute = { acceptsFile?: string; ignoresForm?: true };
/** The fields that Nest's interceptor adds to a multipart request. */
export type FormRequest = Pick<FastifyRequest, 'routeOptions'> & {
  isMultipart?: () => boolean;
  file?: { path?: string };
};

const MAX_BODY_DEPTH = 8;
const MAX_BODY_KEYS = 200;
/** in bytes */
const MAX_IGNORED_FORM = 1_000;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const LONE_SURROGATE = /\p{Surrogate}/u;
/**
 * Matches more than 30 combining marks in a row (Unicode's Stream-Safe format), because normalization is quadratic in the length of
 * the run, and no script uses more. The lookbehind limits matches to the start of a run, so that each mark is read once.
 */
const COMBINING_RUN = /(?<!\p{M})\p{M}{31}/u;

/**
 * Rejects malformed requests before other code reads them.
 * @param chargeBody counts the bytes of a body before it is parsed; throws when the budget is exceeded
 */
export function installRequestRules(
  fastify: FastifyInstance,
  chargeBody: (request: FastifyRequest, bytes: number) => void,
): void {
  // The server accepts JSON only, except for forms on routes that accept a file.
  fastify.removeAllContentTypeParsers();
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    try {
      chargeBody(request, bytes.length);
    } catch (error) {
      return done(error as CodedError);
    }
    if (!isUtf8Type(request.headers['content-type']!))
      return done(new CodedError('unsupported_media_type', 'Send the body as application/json in UTF-8.'));
    if (!isUtf8(bytes)) return done(new CodedError('malformed_body', 'The body is not UTF-8.'));
    void parse(request, bytes.toString(), done);
  });
  const form = { parseAs: 'buffer', bodyLimit: MAX_IGNORED_FORM } as const;
  fastify.addContentTypeParser<Buffer>('application/x-www-form-urlencoded', form, (request, _bytes, done) => {
    if (ignoresForm(request)) done(null, undefined);
    else done(new CodedError('unsupported_media_type', MEDIA_TYPES));
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (isUnwantedForm(request))
      return done(new CodedError('unsupported_media_type', 'Send the body as application/json.'));
    const isOurs = isApiRoute(routeOf(request));
    done((isOurs ? inheritedNameError(request.query) : undefined) ?? bodyShapeError(request.body));
  });
}

function ignoresForm({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as UploadRoute).ignoresForm === true;
}

/** Whether the body is a form and its route does not accept forms. */
function isUnwantedForm(request: FastifyRequest): boolean {
  const isForm = (request as unknown as FormRequest).isMultipart?.() === true;
  return isForm && fileFieldOf(request) === undefined && !ignoresForm(request);
}

/** Returns the name of the file field of a route that accepts a file. */
export function fileFieldOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): string | undefined {
  return (routeOptions.config as UploadRoute).acceptsFile;
}

function isUtf8Type(contentType: string): boolean {
  const [, charset] = CHARSET.exec(contentType) ?? [];
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset);
}

/** Rejects names inherited from Object.prototype, which the DTO whitelist would accept as declared fields. */
function inheritedNameError(query: unknown): CodedError | undefined {
  for (const name in query as object) if (name in Object.prototype) return invalidField(name, 'is not known here');
  return undefined;
}

/** Limits the cost of validating a body. Rejects fields that no DTO declares but validation would not detect. */
function bodyShapeError(body: unknown): CodedError | undefined {
  let keys = 0;
  const walk = (value: unknown, path: string, depth: number): CodedError | undefined => {
    if (typeof value === 'string') {
      // A lone surrogate cannot be stored as UTF-8.
      if (LONE_SURROGATE.test(value)) return invalidField(path, 'has half a surrogate pair, which is no character');
      return COMBINING_RUN.test(value) ? invalidField(path, 'has more than 30 combining marks in a row') : undefined;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > MAX_BODY_DEPTH) return invalidField('body', `is nested deeper than ${MAX_BODY_DEPTH} levels`);
    for (const [name, entry] of Object.entries(value)) {
      if (++keys > MAX_BODY_KEYS) return invalidField('body', `has more than ${MAX_BODY_KEYS} values`);
      const field = path === '' ? name : `${path}.${name}`;
      const error = name in Object.prototype ? invalidField(field, 'is not known here') : walk(entry, field, depth + 1);
      if (error !== undefined) return error;
    }
    return undefined;
  };
  return walk(body, '', 1);
}

function invalidField(field: string, message: string): CodedError {
  return new CodedError('invalid_input', `${field}: ${message}`, { fields: [{ field, message }] });
}
