import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { PageOf } from '../../platform/http/page.js';
import { OBJECT_ID_PATTERN } from '../../platform/http/parse-object-id.pipe.js';
import { TransformText } from '../../platform/http/transform-text.decorator.js';
import { AuthorDto } from '../../users/dto/author.dto.js';
import { MAX_CONTENT_LENGTH } from '../comment.schema.js';
import type { CommentJson } from '../comment-view.js';

const ID = '64b7f0c2a4d1e83f5c9b0a13';
const POST_ID = '64b7f0c2a4d1e83f5c9b0a12';
const TIME = '2026-03-01T09:30:00.000Z';

export class EditCommentBody {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_CONTENT_LENGTH,
    description: 'plain text; white space around it is cut off',
    example: 'The third table settles it.',
  })
  @TransformText(MAX_CONTENT_LENGTH, (text) => text.trim())
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_CONTENT_LENGTH)
  content!: string;
}

export class CreateCommentBody extends EditCommentBody {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'the comment of the same post to reply to; absent or null: the post itself',
    example: ID,
  })
  @IsOptional()
  @Matches(OBJECT_ID_PATTERN, { message: 'parentId must be 24 hex digits' })
  parentId?: string | null;
}

class CommentStatsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 12 })
  likesCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  dislikesCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'direct replies that can be seen', example: 2 })
  repliesCount!: number;
}

export class CommentDto implements CommentJson {
  @ApiProperty({ example: ID })
  id!: string;

  @ApiProperty({ example: POST_ID })
  postId!: string;

  @ApiProperty({ type: String, nullable: true, description: 'null: a comment on the post itself', example: null })
  parentId!: string | null;

  @ApiProperty({ type: AuthorDto, nullable: true, description: 'null once deleted' })
  author!: AuthorDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null once deleted',
    example: 'The third table settles it.',
  })
  content!: string | null;

  @ApiProperty({ type: CommentStatsDto })
  stats!: CommentStatsDto;

  @ApiProperty({ type: Boolean, example: false })
  isEdited!: boolean;

  @ApiProperty({ type: Boolean, description: 'stays in its place while there are replies to it', example: false })
  isDeleted!: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: TIME })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', example: TIME })
  updatedAt!: string;
}

export class CommentPage extends PageOf(CommentDto) {}
