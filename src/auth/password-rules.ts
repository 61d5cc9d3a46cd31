import { IsText } from '../platform/http/validation/text-rules.js';

export const PASSWORD_LENGTH = { min: 8, max: 128 };

/** Any character, no composition rules. */
export function IsNewPassword(): PropertyDecorator {
  const { min, max } = PASSWORD_LENGTH;
  return IsText({ min, max, message: `must be ${min} to ${max} characters` });
}

/** A password that is compared, not set: whatever cannot be one is simply wrong. */
export function IsGivenPassword(): PropertyDecorator {
  return IsText({ min: 1, max: 512, message: 'must be 1 to 512 characters' });
}
