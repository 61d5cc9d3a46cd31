import { ApiProperty } from '@nestjs/swagger';
import { IsEmailAddress } from '../../email-rules.js';
import { IsNewPassword, IsOwnPassword } from '../../password-rules.js';
import { TokenBody } from '../../mail-token.js';

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
