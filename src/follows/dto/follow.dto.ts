import { ApiProperty } from '@nestjs/swagger';
import { ANSWER } from '../../platform/http/openapi/answer-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { AuthorDto } from '../../users/author.dto.js';
import { USERNAME_SCHEMA } from '../../users/username.js';

export class FollowDto {
  @ApiProperty({ ...USERNAME_SCHEMA, description: 'the present name of the account', example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ type: Boolean, example: true })
  isFollowing!: boolean;

  @ApiProperty({ ...ANSWER.count, description: 'its followers right after your change', example: 1205 })
  followersCount!: number;
}

export class FollowedUserDto {
  @ApiProperty({ type: AuthorDto })
  user!: AuthorDto;

  @ApiProperty({ ...ANSWER.time, example: '2026-03-01T09:30:00.000Z' })
  since!: string;
}

export class FollowPage extends PageOf(FollowedUserDto) {}
