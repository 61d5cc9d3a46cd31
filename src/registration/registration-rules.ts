import { IsText } from '../platform/http/validation/text-rules.js';

export const MAX_REASON = 500;
export const INVITE_CODE = /^[A-Za-z0-9_-]{43}$/;
export const INVITE_EXAMPLE = 'Zm9yIGEgZnJpZW5kIHdobyB3cml0ZXMgYWJvdXQgbG9';

/** Validates the format of an invite code. */
export function IsInviteCode(): PropertyDecorator {
  return IsText({ min: 43, max: 43, pattern: INVITE_CODE, message: 'must be 43 characters of base64url' });
}
