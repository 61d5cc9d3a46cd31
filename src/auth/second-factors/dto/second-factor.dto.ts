import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOwnPassword } from '../../password-rules.js';
import { IsCookieWanted } from '../../refresh-cookie.js';
import { RESPONSE_SCHEMAS } from '../../../platform/http/openapi/response-schemas.js';
import { IsText, OptionalField } from '../../../platform/http/validation/text-rules.js';
import { TransformText } from '../../../platform/http/validation/transform-text.decorator.js';
import { RECOVERY_CODES } from '../recovery-codes.js';

const CODE = { min: 6, max: 7, pattern: /^[0-9]{3} ?[0-9]{3}$/, message: 'must be six digits' };
const RECOVERY_CODE = { min: 1, max: 64, message: 'must be 1 to 64 characters' };

/** `123 456`, as apps show it, or without the space. */
function IsCode(): PropertyDecorator {
  return applyDecorators(
    TransformText(CODE.max, (text) => text.replace(/\s/g, '')),
    IsText(CODE),
  );
}

class Proof {
  @OptionalField({
    description: 'code of the authenticator app; spaces are ignored',
    example: '492039',
  })
  @IsCode()
  code?: string;

  @OptionalField({
    description: 'used instead of the code; case, dashes and spaces are ignored',
    example: 'k4qd-7xzn-2m3p-ab5c',
  })
  @IsText(RECOVERY_CODE)
  recoveryCode?: string;
}

export class EnableTotpBody {
  @ApiProperty({ description: 'code of the authenticator app; spaces are ignored', example: '492039' })
  @IsCode()
  code!: string;
}

export class ProvenBody extends Proof {
  @IsOwnPassword()
  password?: string;
}

export class SecondFactorBody extends Proof {
  @ApiProperty({
    description: 'token from the error `second_factor_required`',
    example: 'dQ2v7b1Yk0x3mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU',
  })
  @IsText({ min: 1, max: 200, message: 'must be 1 to 200 characters' })
  mfaToken!: string;

  @IsCookieWanted()
  cookie?: boolean;
}

export class TotpDto {
  @ApiProperty({
    description: 'secret to type into the app; base32',
    minLength: 32,
    maxLength: 32,
    pattern: '^[A-Z2-7]{32}$',
    example: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  })
  secret!: string;

  @ApiProperty({
    description: 'the same secret as a URL for a QR code',
    maxLength: 400,
    example:
      'otpauth://totp/OpenCanvas:ada_lovelace?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=OpenCanvas&algorithm=SHA1&digits=6&period=30',
  })
  otpauthUrl!: string;
}

export class SecondFactorStateDto {
  @ApiProperty({ description: 'whether sign-ins require a code', example: false })
  isEnabled!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, maximum: RECOVERY_CODES, description: 'unused recovery codes', example: 0 })
  recoveryCodesLeft!: number;
}

export class RecoveryCodesDto {
  @ApiProperty({
    type: [String],
    description: 'each code is valid once; this response is the only one that contains them',
    minItems: RECOVERY_CODES,
    maxItems: RECOVERY_CODES,
    items: { type: 'string', minLength: 19, maxLength: 19, pattern: '^[a-z2-7]{4}(-[a-z2-7]{4}){3}$' },
    example: Array<string>(RECOVERY_CODES).fill('k4qd-7xzn-2m3p-ab5c'),
  })
  recoveryCodes!: string[];
}
