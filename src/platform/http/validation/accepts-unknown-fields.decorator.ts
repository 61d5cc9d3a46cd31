export const ACCEPTS_UNKNOWN_FIELDS = 'opencanvas:accepts-unknown-fields';

/** Removes unknown fields of requests instead of rejecting them, for clients that we do not control. */
export function AcceptsUnknownFields(): ClassDecorator {
  return (target) => Reflect.defineMetadata(ACCEPTS_UNKNOWN_FIELDS, true, target);
}
