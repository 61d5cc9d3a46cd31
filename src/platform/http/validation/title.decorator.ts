import { applyDecorators } from '@nestjs/common';
import { IsText } from './text-rules.js';
import { TransformText, trimAndCompose } from './transform-text.decorator.js';

/** One line of so many characters, not blank; white space around it is cut off. */
export function IsTitle(max: number): PropertyDecorator {
  const message = `must be 1 to ${max} characters without control characters, not all of them blank`;
  return applyDecorators(
    TransformText(max, trimAndCompose),
    IsText({ min: 1, max, pattern: /^\s*[^\s\p{Cc}][^\p{Cc}]*$/u, message }),
  );
}
