import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import type { ErrorCode } from '../common/errors.js';
import { IsText, IsOptionalNotNull } from '../platform/http/validation/text-rules.js';

const PASSWORD_LENGTH = { min: 8, max: 128 };

/** Allows any character, without composition rules. */
export function IsNewPassword(): PropertyDecorator {
  const { min, max } = PASSWORD_LENGTH;
  return IsText({ min, max, message: `must be ${min} to ${max} characters` });
}

/** Accepts a password for comparison: input that no password can match is wrong, not invalid. */
export function IsGivenPassword(): PropertyDecorator {
  return IsText({ min: 1, max: 512, message: 'must be 1 to 512 characters' });
}

/** The current password, if the account has one: the field for `PasswordsService.requireRecentProof`. */
export function IsOwnPassword(): PropertyDecorator {
  const description =
    'required if the account has a password; otherwise its sign-in must not be older than ten minutes';
  const schema = { format: 'password', description, example: 'analytical engine no. 1' };
  return applyDecorators(ApiPropertyOptional(schema), IsOptionalNotNull(), IsGivenPassword());
}

/** Errors of a route with `IsOwnPassword`. */
export const REAUTHENTICATION_ERRORS = [
  'invalid_credentials',
  'recent_sign_in_required',
] as const satisfies ErrorCode[];

/** Body of an action that requires the password again. */
export class OwnPasswordBody {
  @IsOwnPassword()
  password?: string;
}
