import { ValidateBy, ValidateIf } from 'class-validator';
import { OBJECT_ID_PATTERN } from './parse-object-id.pipe.js';

export type TextRule = {
  min: number;
  max: number;
  /** linear, and without flags but `u`: it stands in the document as it is */
  pattern?: RegExp;
  /** what the client reads after the name of the field */
  message: string;
};

/**
 * A text of so many code points (an emoji is one) and of this form: the one validator of strings. What it demands is what the document
 * says.
 */
export function IsText({ min, max, pattern, message }: TextRule, { each = false } = {}): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && isLong(value, min, max) && (pattern === undefined || pattern.test(value));
  const schema = {
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    maxLength: max,
    ...(pattern === undefined ? {} : { pattern: schemaPattern(pattern) }),
  };
  const defaultMessage = (): string => `$property ${message}`;
  return ValidateBy({ name: 'isText', constraints: [schema], validator: { validate, defaultMessage } }, { each });
}

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

function isLong(text: string, min: number, max: number): boolean {
  // longer in code units than any allowed text: not worth counting
  if (text.length > 2 * max) return false;
  let count = text.length;
  if (SURROGATE.test(text)) {
    if (LONE_SURROGATE.test(text)) return false;
    for (let at = 0; at < text.length; at++) if (text.codePointAt(at)! > 0xffff) count--;
  }
  return count >= min && count <= max;
}

/** The usual e-mail addresses; the server takes some more (quotes, other letters). */
export const EMAIL_ADDRESS = {
  type: 'string',
  format: 'email',
  pattern:
    "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@" +
    '(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.){1,8}[A-Za-z]{2,24}$',
};

/** An address that every browser and program reads in the same way; the server takes some more (other letters, a port). */
export const webUrl = (scheme: 'https' | 'https?') => ({
  type: 'string',
  format: 'uri',
  maxLength: 2_048,
  pattern: `^${scheme}://(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.){1,8}[a-z]{2,24}(?:/[A-Za-z0-9._~!$&'()*+,;=:@/-]*)?$`,
});

/** 24 hex digits. */
export function IsId({ each = false, message = 'must be 24 hex digits' } = {}): PropertyDecorator {
  return IsText({ min: 24, max: 24, pattern: OBJECT_ID_PATTERN, message }, { each });
}

/** The field may be left out; unlike with @IsOptional it may not be null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** JSON Schema has no flags: its expressions are those with `u`, and no others. */
function schemaPattern({ source, flags }: RegExp): string {
  if (flags.replace('u', '') !== '') throw new Error(`/${source}/${flags} cannot be said in a schema`);
  return source;
}
