import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsString, Length, MaxLength, ValidateBy } from 'class-validator';
import { TransformText } from '../../platform/http/transform-text.decorator.js';
import { IsFullName, IsUsername } from '../../users/profile-rules.js';

export const PASSWORD_LENGTH = { min: 8, max: 128 };

/** 8-128 characters, counted in code points; any character, no composition rules. */
function IsNewPassword(): PropertyDecorator {
  const { min, max } = PASSWORD_LENGTH;
  return ValidateBy({
    name: 'isNewPassword',
    validator: {
      validate: (value) => {
        if (typeof value !== 'string' || value.length > 2 * max) return false;
        const length = [...value].length;
        return length >= min && length <= max;
      },
      defaultMessage: () => `password must be ${min} to ${max} characters`,
    },
  });
}

export class RegisterBody {
  @ApiProperty({
    description: 'lowercased on input',
    pattern: '^(?![0-9]+$)[a-z0-9_]{4,16}$',
    example: 'ada_lovelace',
  })
  @IsUsername()
  username!: string;

  @ApiProperty({ format: 'email', maxLength: 254, description: 'never shown to others', example: 'ada@example.org' })
  @TransformText(254, (text) => text.trim().toLowerCase())
  @IsEmail({}, { message: 'email must be an e-mail address' })
  @MaxLength(254)
  email!: string;

  @ApiProperty({
    format: 'password',
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'analytical engine no. 1',
  })
  @IsNewPassword()
  password!: string;

  @ApiProperty({ minLength: 1, maxLength: 64, description: 'any script', example: 'Ada Lovelace' })
  @IsFullName()
  fullName!: string;
}

/** A password that is compared, not set: whatever cannot be one is simply wrong. */
class WithPassword {
  @ApiProperty({ format: 'password', maxLength: 512, example: 'analytical engine no. 1' })
  @IsString()
  @Length(1, 512)
  password!: string;
}

export class LoginBody extends WithPassword {
  @ApiProperty({ maxLength: 254, description: 'username or e-mail address, in any case', example: 'ada_lovelace' })
  @TransformText(254, (text) => text.trim())
  @IsString()
  @Length(1, 254)
  login!: string;
}

export class DeleteAccountBody extends WithPassword {}

export class RefreshBody {
  @ApiProperty({ maxLength: 200, example: '3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s' })
  @IsString()
  @Length(1, 200)
  refreshToken!: string;
}
