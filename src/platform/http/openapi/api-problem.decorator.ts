import type { ErrorCode } from '../../../common/errors.js';

/** On an operation of the document: the codes of its possible problems. */
export const CODES_EXTENSION = 'x-error-codes';

/** Where Swagger keeps the extensions of a handler; the package does not export the name, and its decorator keeps the first value. */
const EXTENSIONS = 'swagger/apiExtension';
type Extensions = { [CODES_EXTENSION]?: ErrorCode[] };

/** Names the problems that are a route's own; `completeAnswers` adds those of every route of its kind. May be given several times. */
export function ApiProblems(...codes: ErrorCode[]): MethodDecorator {
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const known = (Reflect.getMetadata(EXTENSIONS, handler) ?? {}) as Extensions;
    const all = [...new Set([...(known[CODES_EXTENSION] ?? []), ...codes])];
    Reflect.defineMetadata(EXTENSIONS, { ...known, [CODES_EXTENSION]: all }, handler);
  };
}
