import { applyDecorators } from '@nestjs/common';
import { buildMessage, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { TransformText, trimAndCompose } from '../platform/http/transform-text.decorator.js';
import { isReservedUsername, USERNAME_PATTERN, USERNAME_RULE } from './username.js';

/** The field may be left out; unlike @IsOptional it may not be null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** Lowercased on input, 4-16 of [a-z0-9_], not digits only, no reserved word. */
export function IsUsername(): PropertyDecorator {
  return applyDecorators(
    TransformText(16, (text) => text.toLowerCase()),
    Matches(USERNAME_PATTERN, { message: `username ${USERNAME_RULE}` }),
    ValidateBy({
      name: 'isNotReserved',
      validator: {
        validate: (value) => typeof value !== 'string' || !isReservedUsername(value),
        defaultMessage: buildMessage((prefix) => `${prefix}$property is reserved`),
      },
    }),
  );
}

/** 1-64 characters of any script, trimmed and composed (NFC); no control characters, none that turn the direction of what follows. */
export function IsFullName(): PropertyDecorator {
  return applyDecorators(TransformText(64, tidy), IsText(1, 64, DISPLAY_NAME, 'fullName'));
}

/** At most `max` characters; line breaks and tabs are the only control characters. */
export function IsBio(max: number): PropertyDecorator {
  return applyDecorators(TransformText(max, tidy), IsText(0, max, LONG_TEXT, 'bio'));
}

/** At least one character that can be seen. */
const DISPLAY_NAME = /^(?=.*[\p{L}\p{N}\p{S}\p{P}])[^\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]*$/u;
const LONG_TEXT = /^(?:[\n\t]|[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069])*$/u;

const tidy = (text: string): string => trimAndCompose(text.replaceAll('\r\n', '\n'));

/** Counted in code points: an emoji or a rare ideograph is one character, not two. */
function IsText(min: number, max: number, pattern: RegExp, field: string): PropertyDecorator {
  return ValidateBy({
    name: `is${field}`,
    validator: {
      validate: (value) => {
        // longer in code units than any allowed text can be: not worth counting
        if (typeof value !== 'string' || value.length > 2 * max) return false;
        const length = [...value].length;
        return length >= min && length <= max && pattern.test(value);
      },
      defaultMessage: () =>
        `${field} must be ${min === 0 ? `at most ${max}` : `${min} to ${max}`} characters of text without control characters`,
    },
  });
}
