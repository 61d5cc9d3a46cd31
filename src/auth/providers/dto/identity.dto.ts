import { ApiProperty } from '@nestjs/swagger';
import { IsOwnPassword } from '../../password-rules.js';
import { IsCookieWanted } from '../../refresh-cookie.js';
import { INVITE_EXAMPLE, IsInviteCode } from '../../../registration/registration-rules.js';
import { IsText, OptionalField } from '../../../platform/http/validation/text-rules.js';

const CODE_PATTERN = /^[A-Za-z0-9_-]{43}$/;
const CODE_EXAMPLE = 'qbiR5Vtu8hxFjBVyCRlGFh5TzdJOH4TM4BZVgVDuqpU';

function IsReturnAddress(): PropertyDecorator {
  return IsText({ min: 1, max: 2_000, message: 'must be 1 to 2000 characters' });
}

function IsCode(): PropertyDecorator {
  return IsText({ min: 43, max: 43, pattern: CODE_PATTERN, message: 'must be 43 characters of base64url' });
}

export class StartQuery {
  @OptionalField({
    description: 'the page of the client to return to; its origin must be one that the operator allows',
    example: 'https://app.example/signed-in',
  })
  @IsReturnAddress()
  returnTo?: string;

  @OptionalField({
    description: 'instead of it, in an address from `POST /v1/auth/identities/{provider}`',
    example: CODE_EXAMPLE,
  })
  @IsCode()
  link?: string;

  @OptionalField({ description: 'for a first sign-in, where the site needs an invite', example: INVITE_EXAMPLE })
  @IsInviteCode()
  invite?: string;
}

export class CodeBody {
  @ApiProperty({ description: 'value of `code` in the redirect to the client', example: CODE_EXAMPLE })
  @IsCode()
  code!: string;
}

export class ExchangeBody extends CodeBody {
  @IsCookieWanted()
  cookie?: boolean;
}

export class BeginLinkBody {
  @ApiProperty({
    description: 'the page of the client to return to; its origin must be one that the operator allows',
    example: 'https://app.example/settings',
  })
  @IsReturnAddress()
  returnTo!: string;

  @IsOwnPassword()
  password?: string;
}

export class BegunLinkDto {
  @ApiProperty({
    format: 'uri',
    maxLength: 500,
    description: 'to be opened in the browser; valid once, for ten minutes',
    example: `https://api.example/v1/auth/oidc/google/start?link=${CODE_EXAMPLE}`,
  })
  url!: string;
}

export class IdentityDto {
  @ApiProperty({ maxLength: 32, pattern: '^[a-z][a-z0-9-]{0,31}$', example: 'google' })
  provider!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 254,
    description: 'address that the provider has verified',
    example: 'ada@example.org',
  })
  email!: string | null;

  @ApiProperty({ format: 'date-time', maxLength: 24, example: '2026-11-24T09:30:00.000Z' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', maxLength: 24, example: '2026-11-24T09:30:00.000Z' })
  lastUsedAt!: string;
}

class ProviderDto {
  @ApiProperty({
    maxLength: 32,
    pattern: '^[a-z][a-z0-9-]{0,31}$',
    description: 'for `GET /v1/auth/oidc/{provider}/start`',
    example: 'google',
  })
  provider!: string;
}

export class ProvidersDto {
  @ApiProperty({ type: [ProviderDto], maxItems: 100 })
  data!: ProviderDto[];
}

export class IdentitiesDto {
  @ApiProperty({ type: [IdentityDto], maxItems: 100 })
  data!: IdentityDto[];
}
