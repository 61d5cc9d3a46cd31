import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { MAX_LIMIT } from '../../platform/http/pagination/page.query.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { AuthorDto } from '../../users/author.dto.js';
import { USERNAME_SCHEMA } from '../../users/username.js';
import { RelationshipDto } from '../relationship.dto.js';

export class FollowDto {
  @ApiProperty({ ...USERNAME_SCHEMA, description: 'current name of the account', example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ example: true })
  isFollowing!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'number of its followers after the change', example: 1205 })
  followersCount!: number;
}

export class FollowerDto {
  @ApiProperty({ ...USERNAME_SCHEMA, description: 'current name of the account', example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ example: false })
  isFollower!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'number of your followers after the change', example: 86 })
  followersCount!: number;
}

export class RelationshipsDto {
  @ApiProperty({
    type: [RelationshipDto],
    maxItems: MAX_LIMIT,
    description: 'one item per account, in the order of the request',
  })
  data!: RelationshipDto[];
}

export class FollowedUserDto {
  @ApiProperty()
  user!: AuthorDto;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-03-01T09:30:00.000Z' })
  since!: string;
}

export class FollowPage extends PageOf(FollowedUserDto) {}
