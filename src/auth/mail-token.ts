import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsText, NOT_BLANK } from '../platform/http/validation/text-rules.js';
import { TransformText } from '../platform/http/validation/transform-text.decorator.js';

/** The token of a mail, in a body. */
export const MailToken = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      description: 'the part of the link in the mail after `#token=`',
      example: 'b0p1q3kNw7d5cJx0yV2m8u4sZtRfHgL6aXeQiWoUjYk',
    }),
    TransformText(200, (text) => text.trim()),
    IsText({ min: 1, max: 200, pattern: NOT_BLANK, message: 'must be 1 to 200 characters' }),
  );

export class TokenBody {
  @MailToken()
  token!: string;
}
