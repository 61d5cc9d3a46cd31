import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsText, NOT_BLANK, OptionalField } from '../../platform/http/validation/text-rules.js';
import { TransformText } from '../../platform/http/validation/transform-text.decorator.js';
import { INVITE_EXAMPLE, IsInviteCode, MAX_REASON } from '../../registration/registration-rules.js';
import { IsFullName, IsUsername } from '../../users/profile-rules.js';
import { IsEmailAddress } from '../email-rules.js';
import { IsGivenPassword, IsNewPassword, IsOwnPassword } from '../password-rules.js';
import { IsCookieWanted } from '../refresh-cookie.js';

export class RegisterBody {
  @ApiProperty({
    description: 'lowercased on input',
    example: 'ada_lovelace',
  })
  @IsUsername()
  username!: string;

  @ApiProperty({ description: 'never shown to others', example: 'ada@example.org' })
  @IsEmailAddress()
  email!: string;

  @ApiProperty({
    format: 'password',
    example: 'analytical engine no. 1',
  })
  @IsNewPassword()
  password!: string;

  @ApiProperty({ description: 'letters of any script', example: 'Ada Lovelace' })
  @IsFullName()
  fullName!: string;

  @OptionalField({ description: 'the code of an invite, where the site needs one', example: INVITE_EXAMPLE })
  @IsInviteCode()
  invite?: string;

  @OptionalField({
    description: 'for the moderator who decides, where one does',
    example: 'I write about looms.',
  })
  @IsLine(MAX_REASON)
  reason?: string;

  @IsCookieWanted()
  cookie?: boolean;
}

export class LoginBody {
  @ApiProperty({ description: 'username or e-mail address, in any case', example: EXAMPLE.username })
  @TransformText(254, (text) => text.trim())
  @IsText({ min: 1, max: 254, pattern: NOT_BLANK, message: 'must be 1 to 254 characters' })
  login!: string;

  @ApiProperty({ format: 'password', example: EXAMPLE.password })
  @IsGivenPassword()
  password!: string;

  @IsCookieWanted()
  cookie?: boolean;
}

export class ChangePasswordBody {
  @IsOwnPassword()
  currentPassword?: string;

  @ApiProperty({ format: 'password', example: 'difference engine no. 2' })
  @IsNewPassword()
  newPassword!: string;
}

export class RefreshBody {
  @OptionalField({
    description: 'required without `cookie`',
    example: '3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s',
  })
  @IsText({ min: 1, max: 200, message: 'must be 1 to 200 characters' })
  refreshToken?: string;

  @IsCookieWanted()
  cookie?: boolean;
}
