import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn, IsOptional, ValidateBy, ValidateIf } from 'class-validator';
import { OBJECT_ID_PATTERN } from './parse-object-id.pipe.js';

export type TextRule = {
  min: number;
  max: number;
  /** must match in linear time; documented unless `published` is set */
  pattern?: RegExp;
  /** the pattern in the OpenAPI document, see `PUBLISHED` */
  published?: string;
  /** the message for the client, after the name of the field */
  message: string;
};

/** A text with a character that is not white space. */
export const NOT_BLANK = /^\s*\S/;

/** Validates the length of a text in code points (an emoji counts as one) and an optional pattern. Also adds the rule to the document. */
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
  // A text this long in code units exceeds `max` code points, so counting is unnecessary.
  if (text.length > 2 * max) return false;
  let count = text.length;
  if (SURROGATE.test(text)) {
    if (LONE_SURROGATE.test(text)) return false;
    for (let at = 0; at < text.length; at++) if (text.codePointAt(at)! > 0xffff) count--;
  }
  return count >= min && count <= max;
}

/**
 * Documented patterns of rules with Unicode classes or assertions, reduced to ASCII, which all languages interpret equally.
 * Every valid value matches, and descriptions state the rules beyond ASCII.
 */
export const PUBLISHED = {
  /** no control characters */
  line: '^[^\\x00-\\x1f\\x7f]*$',
  /** as `line`, but not blank */
  filledLine: '^\\s*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$',
  /** as `line`, with tabs and line breaks; may be empty */
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

/** An address that the server may read. */
export function IsWebAddress(): PropertyDecorator {
  const message = 'must be an http(s) address of at most 2048 characters';
  return IsText({ min: 10, max: 2_048, pattern: /^https?:\/\/[!-~]+$/, message });
}

/** 24 hex digits in lower case. */
export function IsId({ each = false, message = 'must be 24 hex digits in lower case' } = {}): PropertyDecorator {
  return IsText({ min: 24, max: 24, pattern: OBJECT_ID_PATTERN, message }, { each });
}

/** A list of one or more of these values, each once. */
export function IsSubsetOf(values: readonly string[]): PropertyDecorator {
  const message = `each of $property must be one of ${values.join(', ')}`;
  const length = [ArrayMaxSize(values.length), ArrayMinSize(1)];
  return applyDecorators(IsIn(values, { each: true, message }), ArrayUnique(), ...length);
}

/** The field may be absent but, unlike with @IsOptional, not null. */
export function IsOptionalNotNull(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** A field of a request that may be absent but not null, in the document and in validation. */
export const OptionalField = (schema?: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(schema), IsOptionalNotNull());

/** As `OptionalField`, but null is accepted like an absent field. */
export const NullableField = (schema?: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(schema), IsOptional());

/** Returns the pattern for the document. Throws for Unicode classes and assertions, which client languages interpret differently. */
export function schemaPattern({ source, flags }: RegExp): string {
  if (flags !== '' || /\(\?[=!<]|\\p/i.test(source)) throw new Error(`/${source}/${flags} needs a published pattern`);
  return source.replaceAll('\\d', '[0-9]');
}
