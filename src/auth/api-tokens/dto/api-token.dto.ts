import { ApiProperty } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../../../platform/access/token-scope.js';
import { RESPONSE_SCHEMAS } from '../../../platform/http/openapi/response-schemas.js';
import { type ApiToken, MAX_API_TOKENS, MAX_TOKEN_NAME } from '../api-token.schema.js';

export class ApiTokenDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f70b' })
  id!: string;

  @ApiProperty({ maxLength: MAX_TOKEN_NAME, example: 'backup on my laptop' })
  name!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...SCOPES] },
    maxItems: SCOPES.length,
    example: ['read', 'posts'],
  })
  scopes!: Scope[];

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-11-24T10:00:00.000Z' })
  createdAt!: Date;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'null: does not expire',
    example: '2099-12-31T00:00:00.000Z',
  })
  expiresAt!: Date | null;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'time of the last use, accurate to a minute; null if it was never used',
    example: '2026-11-24T11:00:00.000Z',
  })
  lastUsedAt!: Date | null;
}

export class NewApiTokenDto extends ApiTokenDto {
  @ApiProperty({
    description: 'only in this response; send it as `Authorization: Bearer <token>`',
    minLength: 47,
    maxLength: 47,
    pattern: '^oca_[A-Za-z0-9_-]{43}$',
    example: 'oca_3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s',
  })
  token!: string;
}

export class ApiTokenListDto {
  @ApiProperty({ type: [ApiTokenDto], maxItems: MAX_API_TOKENS })
  data!: ApiTokenDto[];
}

export function toApiToken({ _id, name, scopes, createdAt, expiresAt, lastUsedAt }: ApiToken): ApiTokenDto {
  return { id: _id.toHexString(), name, scopes, createdAt, expiresAt, lastUsedAt };
}
