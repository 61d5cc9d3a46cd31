import type { ErrorCode } from '../../../common/errors.js';

/** On an operation of the document: the codes of its possible problems. */
export const CODES_EXTENSION = 'x-error-codes';

/** The metadata key of a handler's extensions, which the package does not export; its own decorator keeps the first value. */
const EXTENSIONS = 'swagger/apiExtension';
type Extensions = { [CODES_EXTENSION]?: ErrorCode[] };

/** Adds the problems of one route; `addCommonResponses` adds those of every route of its kind. May be used several times. */
export function ApiProblems(...codes: ErrorCode[]): MethodDecorator {
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const known = (Reflect.getMetadata(EXTENSIONS, handler) ?? {}) as Extensions;
    const all = [...new Set([...(known[CODES_EXTENSION] ?? []), ...codes])];
    Reflect.defineMetadata(EXTENSIONS, { ...known, [CODES_EXTENSION]: all }, handler);
  };
}
