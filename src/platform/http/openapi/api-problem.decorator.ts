import type { ErrorCode } from '../../../common/errors.js';

/** The extension of an operation that lists its error codes. */
export const CODES_EXTENSION = 'x-error-codes';

/** The metadata key of a handler's extensions. @nestjs/swagger does not export it, and its decorator ignores further values. */
const EXTENSIONS = 'swagger/apiExtension';
type Extensions = { [CODES_EXTENSION]?: ErrorCode[] };

/** Documents the error codes of a route, in addition to those of `addCommonResponses`. Can be used several times. */
export function ApiProblems(...codes: ErrorCode[]): MethodDecorator {
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const known = (Reflect.getMetadata(EXTENSIONS, handler) ?? {}) as Extensions;
    const all = [...new Set([...(known[CODES_EXTENSION] ?? []), ...codes])];
    Reflect.defineMetadata(EXTENSIONS, { ...known, [CODES_EXTENSION]: all }, handler);
  };
}
