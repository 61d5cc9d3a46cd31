import { ValidateBy, ValidateIf } from 'class-validator';
import { OBJECT_ID_PATTERN } from './parse-object-id.pipe.js';

export type TextRule = {
  min: number;
  max: number;
  /** linear; the document publishes it, unless `published` is set */
  pattern?: RegExp;
  /** the pattern in the document: see `PUBLISHED` */
  published?: string;
  /** the message for the client, after the name of the field */
  message: string;
};

/**
 * A text with a number of code points (an emoji is one) and an optional pattern: the one validator of strings. The document states the
 * rule that it checks.
 */
export function IsText({ min, max, pattern, published, message }: TextRule, { each = false } = {}): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && isLong(value, min, max) && (pattern === undefined || pattern.test(value));
  const schema = {
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    maxLength: max,
    ...(pattern === undefined ? {} : { pattern: published ?? schemaPattern(pattern) }),
  };
  const defaultMessage = (): string => `$property ${message}`;
  return ValidateBy({ name: 'isText', constraints: [schema], validator: { validate, defaultMessage } }, { each });
}

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

function isLong(text: string, min: number, max: number): boolean {
  // longer in code units than any allowed text: counting is not needed
  if (text.length > 2 * max) return false;
  let count = text.length;
  if (SURROGATE.test(text)) {
    if (LONE_SURROGATE.test(text)) return false;
    for (let at = 0; at < text.length; at++) if (text.codePointAt(at)! > 0xffff) count--;
  }
  return count >= min && count <= max;
}

/**
 * The published patterns of rules that need Unicode or assertions: their ASCII part, which means the same in every language. Every
 * accepted value matches it; the description states the rules beyond ASCII.
 */
export const PUBLISHED = {
  /** no control characters */
  line: '^[^\\x00-\\x1f\\x7f]*$',
  /** the same, and not blank */
  filledLine: '^\\s*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$',
  /** the same with tabs and line breaks, which may be empty */
  lines: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]*$',
  /** letters, digits, hyphens */
  tag: '^[^\\x00-,./:-@\\[-`{-\\x7f]+$',
  /** at least one letter or digit */
  word: '^[\\x00-/:-@\\[-`{-\\x7f]*[^\\x00-/:-@\\[-`{-\\x7f]',
  username: '^[a-z0-9][a-z0-9_]{2,14}[a-z0-9]$',
} as const;

export const EMAIL_ADDRESS = { type: 'string', format: 'email', pattern: '^\\S+@\\S+$' };

export const webUrl = (scheme: 'https' | 'https?') => ({
  type: 'string',
  format: 'uri',
  maxLength: 2_048,
  pattern: `^${scheme}://\\S+$`,
});

/** 24 hex digits in lower case. */
export function IsId({ each = false, message = 'must be 24 hex digits in lower case' } = {}): PropertyDecorator {
  return IsText({ min: 24, max: 24, pattern: OBJECT_ID_PATTERN, message }, { each });
}

/** The field may be missing; unlike with @IsOptional it may not be null. */
export function IsOptionalNotNull(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** For the document. Client languages read Unicode classes, assertions and `\\d` differently, or not at all. */
export function schemaPattern({ source, flags }: RegExp): string {
  if (flags !== '' || /\(\?[=!<]|\\p/i.test(source)) throw new Error(`/${source}/${flags} needs a published pattern`);
  return source.replaceAll('\\d', '[0-9]');
}
