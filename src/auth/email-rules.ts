import { applyDecorators } from '@nestjs/common';
import { IsEmail, MaxLength } from 'class-validator';
import { TransformText } from '../platform/http/validation/transform-text.decorator.js';

/** Lowercased on input. */
export function IsEmailAddress(): PropertyDecorator {
  return applyDecorators(
    TransformText(254, (text) => text.trim().toLowerCase()),
    IsEmail({}, { message: 'must be an e-mail address' }),
    MaxLength(254),
  );
}
