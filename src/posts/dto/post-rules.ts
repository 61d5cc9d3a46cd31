import { IsText } from '../../platform/http/validation/text-rules.js';

export const MAX_TITLE = 200;
export const MAX_CONTENT = 200_000;
export const MAX_TAGS = 5;
export const MAX_TAG = 32;
const TAG_PATTERN = /^[\p{L}\p{N}-]{1,32}$/u;

/** A tag of an answer. */
export const TAG = { type: 'string', minLength: 1, maxLength: MAX_TAG, pattern: TAG_PATTERN.source } as const;

export function IsTag(options: { each?: boolean } = {}): PropertyDecorator {
  const message = `must be 1 to ${MAX_TAG} letters, digits or hyphens`;
  return IsText({ min: 1, max: MAX_TAG, pattern: TAG_PATTERN, message }, options);
}
