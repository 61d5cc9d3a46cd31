import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray } from 'class-validator';
import { IsText } from './text-rules.js';
import { changeText, trimAndCompose } from './transform-text.decorator.js';

const MAX_TAG = 32;
const TAG_PATTERN = /^[\p{L}\p{N}-]{1,32}$/u;

/** A tag of an answer. */
export const TAG = { type: 'string', minLength: 1, maxLength: MAX_TAG, pattern: TAG_PATTERN.source } as const;

/** At most `max` tags: letters, digits and hyphens, kept in lower case and each once. */
export function IsTagList(max: number): PropertyDecorator {
  const message = `must be 1 to ${MAX_TAG} letters, digits or hyphens`;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => normalisedTags(value)),
    IsArray(),
    ArrayMaxSize(max, { message: `$property must hold at most ${max} tags` }),
    IsText({ min: 1, max: MAX_TAG, pattern: TAG_PATTERN, message }, { each: true }),
  );
}

function normalisedTags(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const tags = value.map((tag) => changeText(tag, MAX_TAG, (text) => trimAndCompose(text).toLowerCase()));
  return [...new Set(tags)];
}
