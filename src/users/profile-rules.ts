import { applyDecorators } from '@nestjs/common';
import { buildMessage, ValidateBy } from 'class-validator';
import { IsText, PUBLISHED } from '../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../platform/http/validation/transform-text.decorator.js';
import { isReservedUsername, RESERVED_USERNAMES, impersonatesOperator } from './reserved-names.js';
import { NEW_USERNAME_PATTERN, USERNAME_LENGTH, USERNAME_RULE } from './username.js';

export const MAX_FULL_NAME = 64;
export const MAX_BIO = 500;
export const MAX_HEADLINE = 80;
export const MAX_LOCATION = 60;
export const MAX_INTERESTS = 8;
export const MAX_LINKS = 10;
export const MAX_LINK_TITLE = 40;
export const LANGUAGE_PATTERN = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** Converts to lower case. Allows 4-16 of [a-z0-9_], not only digits, not reserved. */
export function IsUsername(): PropertyDecorator {
  return applyDecorators(
    TransformText(USERNAME_LENGTH.max, (text) => text.toLowerCase()),
    IsText({
      ...USERNAME_LENGTH,
      pattern: NEW_USERNAME_PATTERN,
      published: PUBLISHED.username,
      message: USERNAME_RULE,
    }),
    IsNotReserved(USERNAME_LENGTH.max, isReservedUsername, { not: { enum: RESERVED_USERNAMES } }),
  );
}

/** Trims and composes (NFC). Allows 1-64 characters of any script, all visible, without changes of text direction. */
export function IsFullName(): PropertyDecorator {
  return applyDecorators(
    TransformText(MAX_FULL_NAME, tidy),
    IsText({
      min: 1,
      max: MAX_FULL_NAME,
      pattern: DISPLAY_NAME,
      published: PUBLISHED.filledLine,
      message: `must be 1 to ${MAX_FULL_NAME} ${SEEN}`,
    }),
    IsNotReserved(MAX_FULL_NAME, impersonatesOperator, {}),
  );
}

/** Applies the rule of `IsFullName` to a normalized name from another source. */
export function isFullName(text: string): boolean {
  const isShort = text.length <= 2 * MAX_FULL_NAME && [...text].length <= MAX_FULL_NAME;
  return isShort && DISPLAY_NAME.test(text) && !impersonatesOperator(text);
}

/** Allows line breaks and tabs as the only control characters. */
export function IsBio(): PropertyDecorator {
  return applyDecorators(
    TransformText(MAX_BIO, tidy),
    IsText({
      min: 0,
      max: MAX_BIO,
      pattern: LONG_TEXT,
      published: PUBLISHED.lines,
      message: `must be at most ${MAX_BIO} ${TEXT}`,
    }),
  );
}

/** Requires one line with a visible character, because readers click on the title. */
export function IsLinkTitle(): PropertyDecorator {
  return applyDecorators(
    TransformText(MAX_LINK_TITLE, trimAndCompose),
    IsText({
      min: 1,
      max: MAX_LINK_TITLE,
      pattern: DISPLAY_NAME,
      published: PUBLISHED.filledLine,
      message: `must be 1 to ${MAX_LINK_TITLE} ${SEEN}`,
    }),
  );
}

/**
 * Refuses texts that look like a name of the operator. Another rule refuses a text that is too long.
 * @param schema the part of the rule that a schema can express
 */
function IsNotReserved(max: number, isReserved: (text: string) => boolean, schema: object): PropertyDecorator {
  return ValidateBy({
    name: 'isNotReserved',
    constraints: [schema],
    validator: {
      validate: (value) => typeof value !== 'string' || value.length > 2 * max || !isReserved(value),
      defaultMessage: buildMessage((prefix) => `${prefix}$property is reserved`),
    },
  });
}

const TEXT = 'characters of text without control characters';
const SEEN = `${TEXT}, each of which can be seen`;

/**
 * Requires a visible character and allows no invisible one, nor the blank of braille, which is a symbol. Joiners, variation selectors and
 * tags are allowed where a script or an emoji needs them.
 */
export const DISPLAY_NAME =
  /^(?=.*[\p{L}\p{N}\p{S}\p{P}])(?:[^\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]|(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])[\u200c\u200d]|(?<=[\p{Extended_Pictographic}\d#*])[\ufe0e\ufe0f]|(?<=\p{Script=Mongolian})[\u180b-\u180d]|(?<=\u{1f3f4}[\u{e0061}-\u{e007a}]{0,6})[\u{e0061}-\u{e007a}\u{e007f}])*$/u;
export const LONG_TEXT = /^(?:\r\n|[\n\t]|[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069])*$/u;

const tidy = (text: string): string => trimAndCompose(text.replaceAll('\r\n', '\n'));
