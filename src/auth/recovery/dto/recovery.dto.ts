import { ApiProperty } from '@nestjs/swagger';
import { IsEmailAddress } from '../../email-rules.js';
import { IsNewPassword, IsOwnPassword } from '../../password-rules.js';
import { IsText } from '../../../platform/http/validation/text-rules.js';
import { TransformText } from '../../../platform/http/validation/transform-text.decorator.js';

export class TokenBody {
  @ApiProperty({
    description: 'the part of the link in the mail after `#token=`',
    example: 'b0p1q3kNw7d5cJx0yV2m8u4sZtRfHgL6aXeQiWoUjYk',
  })
  @TransformText(200, (text) => text.trim())
  @IsText({ min: 1, max: 200, message: 'must be 1 to 200 characters' })
  token!: string;
}

export class AskPasswordResetBody {
  @ApiProperty({ example: 'ada@example.org' })
  @IsEmailAddress()
  email!: string;
}

export class ResetPasswordBody extends TokenBody {
  @ApiProperty({ format: 'password', example: 'difference engine no. 2' })
  @IsNewPassword()
  password!: string;
}

export class ChangeEmailBody extends AskPasswordResetBody {
  @IsOwnPassword()
  password?: string;
}
