import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { MAX_REASON } from '../../registration/registration-rules.js';
import type { ListedSignUp } from '../../registration/sign-ups.service.js';
import { FULL_NAME_SCHEMA } from '../../users/author.dto.js';
import { USERNAME_SCHEMA } from '../../users/username.js';

export class SignUpDto {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    description: 'of the account, once it is approved',
    example: '6650c3a2f1d2b3c4d5e6f7b3',
  })
  id!: string;

  @ApiProperty({ ...USERNAME_SCHEMA, example: 'mary_somerville' })
  username!: string;

  @ApiProperty({ ...FULL_NAME_SCHEMA, example: 'Mary Somerville' })
  fullName!: string;

  @ApiProperty({ maxLength: MAX_REASON, description: 'may be empty', example: 'I write about the stars.' })
  reason!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 32,
    description: 'the provider it registered with; null: with a password',
    example: null,
  })
  provider!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-11-24T10:00:00.000Z' })
  createdAt!: Date;
}

export class SignUpPage extends PageOf(SignUpDto) {}

export function toSignUp({ _id, username, fullName, reason, identity, createdAt }: ListedSignUp): SignUpDto {
  const provider = identity === null ? null : identity.slice(0, identity.indexOf(':'));
  return { id: _id.toHexString(), username, fullName, reason, provider, createdAt };
}
