import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { FILTERED, type FilteredDto } from '../../blocks/filtered.dto.js';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { MAX_LIMIT } from '../../platform/http/pagination/page.query.js';
import { MAX_TAGS } from '../labels.dto.js';
import { TAG } from '../../platform/http/validation/tags.decorator.js';
import { PictureDto } from '../../media/picture.dto.js';
import { AuthorDto } from '../../users/author.dto.js';
import { DROPPED, DroppedElementDto } from '../dropped-element.dto.js';
import { SLUG_ADDRESS } from '../slugged-resource.js';
import type { PostStats } from '../post-counters.js';
import { PREVIEW_LENGTH } from '../../rendering/visible-text.js';
import { POST_TYPES, type PostType, VISIBILITIES, type Visibility } from '../post-types.js';
import { MAX_CONTENT, MAX_SUBTITLE, MAX_TITLE } from '../post-rules.js';
import { RemovalDto } from '../../moderation/removal.dto.js';

const TIME = '2026-05-01T09:30:00.000Z';
const ID = EXAMPLE.postId;

const VISIBILITY = {
  enum: VISIBILITIES,
  description: '`unlisted`: everyone can read it by its address, and no list shows it',
  example: 'public' as const,
};

export class PostStatsDto implements PostStats {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 1204 })
  viewsCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 310 })
  readsCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 57 })
  likesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 2 })
  dislikesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 9 })
  sharesCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 14, description: 'number of comments, including replies' })
  commentsCount!: number;
}

/** A post in lists: the type of its JSON and its OpenAPI schema. */
export class PostCardDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  id!: string;

  @ApiProperty({
    ...SLUG_ADDRESS,
    description: 'path segment of the post: `<slug>-<id>`',
    example: `notes-on-the-analytical-engine-${ID}`,
  })
  slug!: string;

  @ApiProperty({ enum: POST_TYPES, example: 'article' })
  type!: PostType;

  @ApiProperty({ minLength: 1, maxLength: MAX_TITLE, example: 'Notes on the Analytical Engine' })
  title!: string;

  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_SUBTITLE,
    nullable: true,
    example: 'What it can do, and what it cannot',
  })
  subtitle!: string | null;

  @ApiProperty({ type: 'array', items: TAG, maxItems: MAX_TAGS, example: ['mathematics', 'history'] })
  tags!: string[];

  @ApiProperty({
    maxLength: PREVIEW_LENGTH,
    description: 'the beginning of the text, without markup',
    example: 'The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.',
  })
  contentPreview!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: MAX_CONTENT,
    description: 'reading time in minutes',
    example: 4,
  })
  readTime!: number;

  @ApiProperty({ description: 'false: unlisted or private', example: true })
  isPublic!: boolean;

  @ApiProperty({ description: 'whether title, subtitle or content changed after publication', example: false })
  isEdited!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.fileUrl, nullable: true, example: 'https://images.example.org/engine.webp' })
  thumbnailUrl!: string | null;

  @ApiProperty({
    type: PictureDto,
    nullable: true,
    description: 'sizes of the thumbnail if it is an uploaded image of the author, else null',
  })
  thumbnail!: PictureDto | null;

  @ApiProperty()
  author!: AuthorDto;

  @ApiProperty()
  stats!: PostStatsDto;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    description: 'when it was first published; for a draft: when it was created',
    example: TIME,
  })
  createdAt!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  updatedAt!: string;

  @ApiPropertyOptional(FILTERED)
  filtered?: FilteredDto[];
}

/** The post of a comment, or of a case. */
export class TargetPostDto extends PickType(PostCardDto, ['id', 'slug', 'title'] as const) {}

/** A post in the list of its author. */
export class OwnPostCardDto extends PostCardDto {
  @ApiProperty(VISIBILITY)
  visibility!: Visibility;
}

export class PostDto extends PostCardDto {
  @ApiProperty(VISIBILITY)
  visibility!: Visibility;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_CONTENT,
    description: 'Markdown',
    example: '# Notes\n\nThe Analytical Engine weaves *algebraic patterns* …',
  })
  content!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.url,
    nullable: true,
    description: 'URL of the first publication, if it was on another site',
    example: null,
  })
  canonicalUrl!: string | null;

  @ApiProperty({ description: 'whether new comments are refused', example: false })
  isLocked!: boolean;

  @ApiProperty({ description: 'whether all readers of the post can read its earlier versions', example: false })
  isHistoryPublic!: boolean;

  @ApiPropertyOptional({
    description:
      'only while the post is removed, by a moderator or until a review: it is private until a moderator restores it',
  })
  removal?: RemovalDto;

  @ApiPropertyOptional({ type: [DroppedElementDto], ...DROPPED })
  dropped?: DroppedElementDto[];
}

export class LockDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  postId!: string;

  @ApiProperty({ example: true })
  isLocked!: boolean;
}

export class PostPageDto extends PageOf(PostCardDto) {}

export class OwnPostPageDto extends PageOf(OwnPostCardDto) {}

export class PostListDto {
  @ApiProperty({ type: [PostCardDto], maxItems: MAX_LIMIT })
  data!: PostCardDto[];
}
