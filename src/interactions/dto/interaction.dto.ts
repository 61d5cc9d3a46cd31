import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';
import { CollectionDto } from '../../collections/collection.dto.js';
import { AuthorDto } from '../../users/author.dto.js';
import { VOTE_VALUES, type VoteValue } from '../vote-value.js';

const ID = EXAMPLE.postId;

export class VoteBody {
  @ApiProperty({
    enum: VOTE_VALUES,
    description: 'the new vote; replaces an earlier one',
    example: 'like',
  })
  @IsIn(VOTE_VALUES, { message: 'value must be like or dislike' })
  value!: VoteValue;
}

class VoteCountsDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 128 })
  likesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 3 })
  dislikesCount!: number;
}

export class VoteDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, description: 'the post, comment or collection', example: ID })
  targetId!: string;

  @ApiProperty({
    type: String,
    enum: [...VOTE_VALUES, null],
    nullable: true,
    description: 'your vote after the change',
    example: 'like',
  })
  value!: VoteValue | null;

  @ApiProperty({
    type: VoteCountsDto,
    nullable: true,
    description: 'counts after the change; null if you removed a vote on something that you cannot read',
  })
  stats!: VoteCountsDto | null;
}

/** Counters include dislikes, but lists do not. */
const SHOWN_VALUES = ['like'] as const;

export class VotersQuery extends PageQuery {
  @NullableField({ enum: SHOWN_VALUES, default: 'like', example: 'like' })
  @IsIn(SHOWN_VALUES, { message: 'value must be like: dislikes are anonymous' })
  value: (typeof SHOWN_VALUES)[number] = 'like';
}

export class VoterDto {
  @ApiProperty()
  user!: AuthorDto;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-03-01T09:30:00.000Z' })
  votedAt!: string;
}

export class VoterPage extends PageOf(VoterDto) {}

export class SaveDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  postId!: string;

  @ApiProperty({ example: true })
  isSaved!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, nullable: true, example: '2026-03-01T09:30:00.000Z' })
  savedAt!: string | null;
}

export class HideDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  postId!: string;

  @ApiProperty({ example: true })
  isHidden!: boolean;
}

export class CollectionFollowDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  collectionId!: string;

  @ApiProperty({ example: true })
  isFollowing!: boolean;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.count,
    nullable: true,
    description: 'number of its followers after the change; null if you cannot read the collection',
    example: 8,
  })
  followersCount!: number | null;
}

export class FollowedCollectionDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.collectionId })
  collectionId!: string;

  @ApiProperty({ type: CollectionDto, nullable: true, description: 'null if its owner made it private' })
  collection!: CollectionDto | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-03-01T09:30:00.000Z' })
  since!: string;
}

export class FollowedCollectionPage extends PageOf(FollowedCollectionDto) {}
