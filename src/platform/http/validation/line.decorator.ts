import { applyDecorators } from '@nestjs/common';
import { IsText, PUBLISHED } from './text-rules.js';
import { TransformText, trimAndCompose } from './transform-text.decorator.js';

/** Characters that break a line or change the text direction. */
const FORBIDDEN = String.raw`\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069`;
/** Characters that are invisible on their own: spaces, marks, Hangul fillers, the blank braille pattern. */
const INVISIBLE = String.raw`\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800`;
export const LINE = new RegExp(`^(?:(?=[${INVISIBLE}]*[^${INVISIBLE}])[^${FORBIDDEN}]*)?$`, 'u');

const RULE = 'characters on one line, without control characters, at least one of which can be seen';

/** Validates a line with at least one visible character. Trims white space. */
export function IsTitle(max: number): PropertyDecorator {
  return isLine({ min: 1, max, published: PUBLISHED.filledLine, message: `must be 1 to ${max} ${RULE}` });
}

/** As `IsTitle`, but allows an empty text. */
export function IsLine(max: number): PropertyDecorator {
  return isLine({ min: 0, max, published: PUBLISHED.line, message: `must be empty, or at most ${max} ${RULE}` });
}

function isLine(rule: { min: number; max: number; published: string; message: string }): PropertyDecorator {
  return applyDecorators(TransformText(rule.max, trimAndCompose), IsText({ ...rule, pattern: LINE }));
}
