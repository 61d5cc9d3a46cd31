import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { OptionalField } from '../../platform/http/validation/text-rules.js';
import { IsTime } from '../../platform/http/validation/time.decorator.js';
import { AuthorDto } from '../../users/author.dto.js';
import { USERNAME_SCHEMA } from '../../users/username.js';

const UNTIL = { ...RESPONSE_SCHEMAS.time, nullable: true, description: 'null: until you unmute it', example: null };

export class MuteBody {
  @OptionalField({
    description: 'RFC 3339 with an offset; default: until you unmute it',
    example: '2099-12-31T00:00:00Z',
  })
  @IsTime()
  until?: string;
}

export class BlockDto {
  @ApiProperty({ ...USERNAME_SCHEMA, description: 'current name of the account', example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ example: true })
  isBlocked!: boolean;
}

export class MuteDto {
  @ApiProperty({ ...USERNAME_SCHEMA, description: 'current name of the account', example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ example: true })
  isMuted!: boolean;

  @ApiProperty(UNTIL)
  until!: string | null;
}

export class BlockedUserDto {
  @ApiProperty()
  user!: AuthorDto;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-03-01T09:30:00.000Z' })
  blockedAt!: string;
}

export class MutedUserDto {
  @ApiProperty()
  user!: AuthorDto;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-03-01T09:30:00.000Z' })
  mutedAt!: string;

  @ApiProperty(UNTIL)
  until!: string | null;
}

export class BlockPage extends PageOf(BlockedUserDto) {}

export class MutePage extends PageOf(MutedUserDto) {}
