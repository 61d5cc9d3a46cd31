import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { OptionalField } from '../../platform/http/validation/text-rules.js';
import { IsTime } from '../../platform/http/validation/time.decorator.js';
import { INVITE_CODE, INVITE_EXAMPLE } from '../registration-rules.js';
import { type ListedInvite, MAX_NOTE, MAX_USES } from '../invite.schema.js';

export class CreateInvite {
  @OptionalField({
    description: 'number of registrations; default: 1. Only admins may set more than 1',
    example: 5,
  })
  @Min(1)
  @Max(MAX_USES)
  @IsInt({ message: 'uses must be a whole number' })
  uses?: number;

  @OptionalField({
    description: 'RFC 3339 with an offset; default: in seven days',
    example: '2099-12-31T00:00:00Z',
  })
  @IsTime()
  expiresAt?: string;

  @OptionalField({ description: 'for you and the admins', example: 'for the reading circle' })
  @IsLine(MAX_NOTE)
  note?: string;
}

export class InviteDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f7b2' })
  id!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'the account that created it; null: the operator',
    example: '6650c3a2f1d2b3c4d5e6f7b1',
  })
  creatorId!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 5 })
  uses!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 2 })
  usedCount!: number;

  @ApiProperty({ maxLength: MAX_NOTE, example: 'for the reading circle' })
  note!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-11-24T10:00:00.000Z' })
  createdAt!: Date;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-12-01T10:00:00.000Z' })
  expiresAt!: Date;
}

export class NewInviteDto extends InviteDto {
  @ApiProperty({
    description: 'shown this once: the `invite` of a registration',
    minLength: 43,
    maxLength: 43,
    pattern: INVITE_CODE.source,
    example: INVITE_EXAMPLE,
  })
  code!: string;
}

export class InvitePage extends PageOf(InviteDto) {}

export function toInvite({ _id, creatorId, uses, usedCount, note, createdAt, expiresAt }: ListedInvite): InviteDto {
  return {
    ...{ id: _id.toHexString(), creatorId: creatorId?.toHexString() ?? null, uses, usedCount, note },
    ...{ createdAt, expiresAt },
  };
}
