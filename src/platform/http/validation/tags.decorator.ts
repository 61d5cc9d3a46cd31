import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray } from 'class-validator';
import { IsText, PUBLISHED } from './text-rules.js';
import { changeText, TransformText, trimAndCompose } from './transform-text.decorator.js';

const MAX_TAG = 32;
/** Allows marks, which are letters in many scripts: vowels of Hindi and Thai, points of Hebrew. */
export const TAG_PATTERN = /^[\p{L}\p{N}-][\p{L}\p{N}\p{M}-]{0,31}$/u;

/** The schema of a tag in responses. */
export const TAG = { type: 'string', minLength: 1, maxLength: MAX_TAG, pattern: PUBLISHED.tag } as const;

export const TAG_MESSAGE = `must be 1 to ${MAX_TAG} letters, digits or hyphens`;
const IS_TAG = { min: 1, max: MAX_TAG, pattern: TAG_PATTERN, published: PUBLISHED.tag, message: TAG_MESSAGE };

/** Validates a requested tag and normalizes it. */
export function IsTag(): PropertyDecorator {
  return applyDecorators(TransformText(MAX_TAG, normalizeTag), IsText(IS_TAG));
}

/** Validates at most `max` tags of letters, digits and hyphens. Converts them to lower case and removes duplicates. */
export function IsTagList(max: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => normalizedTags(value)),
    IsArray(),
    ArrayMaxSize(max, { message: `$property must hold at most ${max} tags` }),
    IsText(IS_TAG, { each: true }),
  );
}

/** Returns the normalized tag, or null if the text is not a valid tag. */
export function tagOf(text: string | undefined): string | null {
  const tag = changeText(text, MAX_TAG, normalizeTag);
  return typeof tag === 'string' && TAG_PATTERN.test(tag) ? tag : null;
}

/** Converts a tag of another system: spaces and `_` become `-`, other special characters are removed. Returns null for an empty result. */
export function tagFrom(text: string): string | null {
  const signs = normalizeTag(text)
    .replace(/[\s_]/g, '-')
    .replace(/[^\p{L}\p{N}\p{M}-]/gu, '');
  return tagOf([...signs].slice(0, MAX_TAG).join(''));
}

/** Removes invisible characters, so that tags that look the same are equal. */
function normalizeTag(text: string): string {
  return trimAndCompose(text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')).toLowerCase();
}

function normalizedTags(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const tags = value.map((tag) => changeText(tag, MAX_TAG, normalizeTag));
  return [...new Set(tags)];
}
