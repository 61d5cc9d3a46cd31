import { ApiProperty, OmitType, PickType } from '@nestjs/swagger';
import { ArrayMinSize } from 'class-validator';
import { EXAMPLE } from '../common/examples.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { MAX_LIMIT } from '../platform/http/pagination/page.query.js';
import { IsIdList, ToList } from '../platform/http/validation/ids.query.js';
import { IsTagList, TAG } from '../platform/http/validation/tags.decorator.js';
import { NullableField } from '../platform/http/validation/text-rules.js';
import { AccountDto } from '../auth/account.dto.js';
import { RelationshipDto } from '../follows/relationship.dto.js';
import { WATCH_LEVELS, type WatchLevel } from '../follows/subscriptions-port.js';
import { VOTE_VALUES, type VoteValue } from '../interactions/vote-value.js';
import { UnreadDto } from '../notifications/unread.dto.js';

const ACCOUNT_FIELDS = ['id', 'username', 'fullName', 'profilePicture', 'role', 'isEmailVerified', 'standing'] as const;

export class ViewerQuery {
  @NullableField({ type: [String], description: 'ids of posts', example: [EXAMPLE.postId] })
  @IsIdList()
  posts?: string[];

  @NullableField({ type: [String], description: 'ids of comments', example: [EXAMPLE.commentId] })
  @IsIdList()
  comments?: string[];

  @NullableField({ type: [String], description: 'ids of collections', example: [EXAMPLE.collectionId] })
  @IsIdList()
  collections?: string[];

  @NullableField({ type: [String], description: 'ids of accounts', example: EXAMPLE.userIds })
  @IsIdList()
  users?: string[];

  @NullableField({ type: [String], description: 'tags', example: [EXAMPLE.tag] })
  @ToList()
  @ArrayMinSize(1)
  @IsTagList(MAX_LIMIT)
  tags?: string[];
}

export class ViewerAccountDto extends PickType(AccountDto, ACCOUNT_FIELDS) {}

export class ViewerPostDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.postId })
  postId!: string;

  @ApiProperty({ type: String, enum: [...VOTE_VALUES, null], nullable: true, example: 'like' })
  vote!: VoteValue | null;

  @ApiProperty({ example: false })
  isSaved!: boolean;

  @ApiProperty({ description: 'whether your lists omit the post', example: false })
  isHidden!: boolean;

  @ApiProperty({
    type: String,
    enum: [...WATCH_LEVELS, null],
    nullable: true,
    description: 'whether you watch or mute the post',
    example: null,
  })
  watch!: WatchLevel | null;
}

export class ViewerCommentDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.commentId })
  commentId!: string;

  @ApiProperty({ type: String, enum: [...VOTE_VALUES, null], nullable: true, example: null })
  vote!: VoteValue | null;
}

export class ViewerCollectionDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.collectionId })
  collectionId!: string;

  @ApiProperty({ type: String, enum: [...VOTE_VALUES, null], nullable: true, example: null })
  vote!: VoteValue | null;

  @ApiProperty({ description: 'whether you follow the collection', example: true })
  isFollowing!: boolean;
}

export class ViewerUserDto extends OmitType(RelationshipDto, ['id']) {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[0] })
  userId!: string;
}

export class ViewerTagDto {
  @ApiProperty({ ...TAG, example: EXAMPLE.tag })
  tag!: string;

  @ApiProperty({ description: 'whether you follow the tag', example: true })
  isFollowing!: boolean;
}

export class ViewerDto {
  @ApiProperty({
    type: ViewerAccountDto,
    nullable: true,
    description: 'null for an API token without the scope `profile`',
  })
  account!: ViewerAccountDto | null;

  @ApiProperty({
    type: UnreadDto,
    nullable: true,
    description: 'unread notifications; null for an API token without the scope `notifications`',
  })
  unread!: UnreadDto | null;

  @ApiProperty({
    type: [ViewerPostDto],
    maxItems: MAX_LIMIT,
    description: 'one item per post, in the order of the request',
  })
  posts!: ViewerPostDto[];

  @ApiProperty({
    type: [ViewerCommentDto],
    maxItems: MAX_LIMIT,
    description: 'one item per comment, in the order of the request',
  })
  comments!: ViewerCommentDto[];

  @ApiProperty({
    type: [ViewerCollectionDto],
    maxItems: MAX_LIMIT,
    description: 'one item per collection, in the order of the request',
  })
  collections!: ViewerCollectionDto[];

  @ApiProperty({
    type: [ViewerUserDto],
    maxItems: MAX_LIMIT,
    description: 'one item per account, in the order of the request',
  })
  users!: ViewerUserDto[];

  @ApiProperty({
    type: [ViewerTagDto],
    maxItems: MAX_LIMIT,
    description: 'one item per tag, in the order of the request',
  })
  tags!: ViewerTagDto[];
}
