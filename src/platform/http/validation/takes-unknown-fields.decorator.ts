export const TAKES_UNKNOWN_FIELDS = 'opencanvas:takes-unknown-fields';

/** Fields that the class does not declare are left out of its requests, not refused: for clients that are not ours. */
export function TakesUnknownFields(): ClassDecorator {
  return (target) => Reflect.defineMetadata(TAKES_UNKNOWN_FIELDS, true, target);
}
