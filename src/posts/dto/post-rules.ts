import { ValidateBy } from 'class-validator';
import { HTTPS_URL, IsText } from '../../platform/http/text-rules.js';

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

/** An address a browser may load from any page: https, nobody's password in it. */
export function IsHttpsUrl(): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    if (typeof value !== 'string' || value.length > 2_048 || !URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    return protocol === 'https:' && username === '' && password === '';
  };
  const defaultMessage = (): string => '$property must be an https address of at most 2048 characters';
  return ValidateBy({ name: 'isHttpsUrl', constraints: [HTTPS_URL], validator: { validate, defaultMessage } });
}
