import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../platform/http/page.js';
import { AuthorDto } from '../../users/dto/author.dto.js';

export class FollowDto {
  @ApiProperty({ description: 'the present name of the account', example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ type: Boolean, example: true })
  isFollowing!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'its followers right after your change', example: 1205 })
  followersCount!: number;
}

export class FollowedUserDto {
  @ApiProperty({ type: AuthorDto })
  user!: AuthorDto;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-03-01T09:30:00.000Z' })
  since!: string;
}

export class FollowPage extends PageOf(FollowedUserDto) {}
