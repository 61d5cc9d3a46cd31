import { applyDecorators } from '@nestjs/common';
import { IsText } from '../platform/http/validation/text-rules.js';
import { TransformText } from '../platform/http/validation/transform-text.decorator.js';

export const MAX_REASON = 500;
export const INVITE_CODE = /^[A-Za-z0-9_-]{43}$/;
export const INVITE_EXAMPLE = 'Zm9yIGEgZnJpZW5kIHdobyB3cml0ZXMgYWJvdXQgbG9';

/** Validates the format of an invite code, which people may paste with a space. */
export function IsInviteCode(): PropertyDecorator {
  return applyDecorators(
    TransformText(43, (text) => text.trim()),
    IsText({ min: 43, max: 43, pattern: INVITE_CODE, message: 'must be 43 characters of base64url' }),
  );
}
