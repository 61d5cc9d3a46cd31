import { ApiProperty } from '@nestjs/swagger';
import { OwnUserDto } from '../../users/dto/user.dto.js';

/** The signed-in account. */
export class AccountDto extends OwnUserDto {
  @ApiProperty({ format: 'email', example: 'ada@example.org' })
  email!: string;
}

export class SignedInDto {
  @ApiProperty({
    description: 'send it as `Authorization: Bearer <token>`',
    example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIi….c2lnbg',
  })
  accessToken!: string;

  @ApiProperty({ type: String, enum: ['Bearer'], example: 'Bearer' })
  tokenType!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'seconds until the access token expires', example: 900 })
  expiresIn!: number;

  @ApiProperty({
    description: 'for `POST /v1/auth/refresh`, once: the answer brings the next one',
    example: '3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s',
  })
  refreshToken!: string;

  @ApiProperty({ type: AccountDto })
  user!: AccountDto;
}
