import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FILTERED, type FilteredDto } from '../../blocks/filtered.dto.js';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { MAX_LIMIT } from '../../platform/http/pagination/page.query.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { IsId, IsText, NOT_BLANK, NullableField } from '../../platform/http/validation/text-rules.js';
import { TransformText } from '../../platform/http/validation/transform-text.decorator.js';
import { AuthorDto } from '../../users/author.dto.js';
import { MAX_CONTENT_LENGTH, MAX_HTML_LENGTH } from '../comment-rules.js';
import { RemovalDto } from '../../moderation/removal.dto.js';

const ID = EXAMPLE.commentId;
const POST_ID = EXAMPLE.postId;
const TIME = '2026-03-01T09:30:00.000Z';

export class EditCommentBody {
  @ApiProperty({
    description:
      'Markdown; surrounding white space is removed. Servers accept 1,000 characters unless their operator chose more: `limits.commentLength` of `GET /v1/instance`',
    example: 'The third table settles it.',
  })
  @TransformText(MAX_CONTENT_LENGTH, (text) => text.trim())
  @IsText({
    min: 1,
    max: MAX_CONTENT_LENGTH,
    pattern: NOT_BLANK,
    message: `must be 1 to ${MAX_CONTENT_LENGTH} characters`,
  })
  content!: string;
}

export class CreateCommentBody extends EditCommentBody {
  @NullableField({
    type: String,
    nullable: true,
    description: 'the comment of the same post to reply to; absent or null: the post itself',
    example: ID,
  })
  @IsId()
  parentId?: string | null;
}

class CommentStatsDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 12 })
  likesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 0 })
  dislikesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'direct replies that can be seen', example: 2 })
  repliesCount!: number;
}

/** A comment in every response: the type of its JSON and its schema. */
export class CommentDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  id!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: POST_ID })
  postId!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'null for a comment on the post itself',
    example: null,
  })
  parentId!: string | null;

  @ApiProperty({ type: AuthorDto, nullable: true, description: 'null if the comment is deleted or hidden for you' })
  author!: AuthorDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: MAX_CONTENT_LENGTH,
    description: 'null if the comment is deleted or hidden for you',
    example: 'The third table settles it.',
  })
  content!: string | null;

  @ApiProperty()
  stats!: CommentStatsDto;

  @ApiProperty({ example: false })
  isEdited!: boolean;

  @ApiProperty({
    description: 'a deleted comment stays in the list while it has replies; also true for one that a moderator removed',
    example: false,
  })
  isDeleted!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  updatedAt!: string;

  @ApiPropertyOptional({
    description:
      'true in lists if you block or mute the author, the author blocks you or is limited, or a filter of yours hides the text; otherwise absent',
    example: false,
  })
  isHiddenForYou?: boolean;

  @ApiPropertyOptional(FILTERED)
  filtered?: FilteredDto[];

  @ApiPropertyOptional({
    description:
      'only for its author and moderators, while it is removed, by a moderator or until a review; others get a deleted comment',
  })
  removal?: RemovalDto;
}

export class CommentPage extends PageOf(CommentDto) {}

export class CommentListDto {
  @ApiProperty({ type: [CommentDto], maxItems: MAX_LIMIT })
  data!: CommentDto[];
}

export class CommentHtmlDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  id!: string;

  @ApiProperty({
    maxLength: MAX_HTML_LENGTH,
    description:
      'safe to insert into a page: no script, style, form, image or id; links have `rel="ugc nofollow noopener"`',
    example: '<p>The <em>third</em> table settles it.</p>',
  })
  html!: string;
}

export class CommentHtmlListDto {
  @ApiProperty({ type: [CommentHtmlDto], maxItems: MAX_LIMIT })
  data!: CommentHtmlDto[];
}
