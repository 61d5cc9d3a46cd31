export const TAKES_UNKNOWN_FIELDS = 'opencanvas:takes-unknown-fields';

/** Removes unknown fields of requests instead of rejecting them, for clients that we do not control. */
export function TakesUnknownFields(): ClassDecorator {
  return (target) => Reflect.defineMetadata(TAKES_UNKNOWN_FIELDS, true, target);
}
