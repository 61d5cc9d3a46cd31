import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OwnUserDto } from '../users/user.dto.js';

/** The account for its owner; the only response with the e-mail address. */
export class AccountDto extends OwnUserDto {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.org' })
  email!: string;

  @ApiProperty({ description: 'whether the owner confirmed the e-mail address', example: false })
  isEmailVerified!: boolean;

  @ApiProperty({ description: 'false for an account that only signs in with providers or passkeys', example: true })
  hasPassword!: boolean;
}

export class SignedInDto {
  @ApiProperty({
    description: 'send it as `Authorization: Bearer <token>`',
    maxLength: 2_048,
    pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
    example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NjUwYzNhMmYxZDJiM2M0ZDVlNmY3MDgifQ.c2lnbmF0dXJl',
  })
  accessToken!: string;

  @ApiProperty({ type: String, enum: ['Bearer'], example: 'Bearer' })
  tokenType!: 'Bearer';

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 3_600,
    description: 'seconds until the access token expires',
    example: 900,
  })
  expiresIn!: number;

  @ApiPropertyOptional({
    description: 'for `POST /v1/auth/refresh`, once: the response has the next one. Absent if it is in a cookie',
    minLength: 43,
    maxLength: 43,
    pattern: '^[A-Za-z0-9_-]{43}$',
    example: '3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s',
  })
  refreshToken?: string;

  @ApiProperty()
  user!: AccountDto;
}
