import { applyDecorators } from '@nestjs/common';
import { buildMessage, ValidateBy } from 'class-validator';
import { IsText } from '../platform/http/text-rules.js';
import { TransformText, trimAndCompose } from '../platform/http/transform-text.decorator.js';
import {
  isReservedUsername,
  RESERVED_USERNAMES,
  USERNAME_LENGTH,
  USERNAME_PATTERN,
  USERNAME_RULE,
} from './username.js';

export const MAX_FULL_NAME = 64;
export const MAX_BIO = 500;
export const LANGUAGE_PATTERN = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** Lowercased on input, 4-16 of [a-z0-9_], not digits only, no reserved word. */
export function IsUsername(): PropertyDecorator {
  return applyDecorators(
    TransformText(16, (text) => text.toLowerCase()),
    IsText({ ...USERNAME_LENGTH, pattern: USERNAME_PATTERN, message: USERNAME_RULE }),
    ValidateBy({
      name: 'isNotReserved',
      constraints: [{ not: { enum: RESERVED_USERNAMES } }],
      validator: {
        validate: (value) => typeof value !== 'string' || !isReservedUsername(value),
        defaultMessage: buildMessage((prefix) => `${prefix}$property is reserved`),
      },
    }),
  );
}

/** 1-64 characters of any script, trimmed and composed (NFC); no control characters, none that turn the direction of what follows. */
export function IsFullName(): PropertyDecorator {
  return applyDecorators(
    TransformText(MAX_FULL_NAME, tidy),
    IsText({ min: 1, max: MAX_FULL_NAME, pattern: DISPLAY_NAME, message: `must be 1 to ${MAX_FULL_NAME} ${TEXT}` }),
  );
}

/** Line breaks and tabs are the only control characters. */
export function IsBio(): PropertyDecorator {
  return applyDecorators(
    TransformText(MAX_BIO, tidy),
    IsText({ min: 0, max: MAX_BIO, pattern: LONG_TEXT, message: `must be at most ${MAX_BIO} ${TEXT}` }),
  );
}

const TEXT = 'characters of text without control characters';

/** At least one character that can be seen. */
const DISPLAY_NAME = /^(?=.*[\p{L}\p{N}\p{S}\p{P}])[^\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]*$/u;
const LONG_TEXT = /^(?:\r\n|[\n\t]|[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069])*$/u;

const tidy = (text: string): string => trimAndCompose(text.replaceAll('\r\n', '\n'));
