import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../platform/http/page.js';
import type { AuthorJson } from '../../users/author-snapshot.js';
import type { PostCard } from '../post-card.js';
import type { PostStats } from '../post-row.js';
import { PREVIEW_LENGTH } from '../post-text.js';
import { POST_TYPES, type PostType } from '../post-types.js';

const TIME = '2026-05-01T09:30:00.000Z';
const ID = '6650c3a2f1d2b3c4d5e6f708';

export class PostAuthorDto implements AuthorJson {
  @ApiProperty({ example: '6650c3a2f1d2b3c4d5e6f701' })
  id!: string;

  @ApiProperty({ example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  fullName!: string;

  @ApiProperty({ type: String, nullable: true, example: 'https://images.example.org/ada.webp' })
  profilePicture!: string | null;
}

export class PostStatsDto implements PostStats {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1204 })
  viewsCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 310 })
  readsCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 57 })
  likesCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  dislikesCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 9 })
  sharesCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 14, description: 'replies included, each once' })
  commentsCount!: number;
}

/** A post as every list shows it; documentation only, `toPostCard` makes the JSON. */
export class PostCardDto implements PostCard {
  @ApiProperty({ example: ID })
  id!: string;

  @ApiProperty({
    description: 'the address of the post: `<slug>-<id>`',
    example: `notes-on-the-analytical-engine-${ID}`,
  })
  slug!: string;

  @ApiProperty({ enum: POST_TYPES, example: 'article' })
  type!: PostType;

  @ApiProperty({ example: 'Notes on the Analytical Engine' })
  title!: string;

  @ApiProperty({ type: [String], maxItems: 5, example: ['mathematics', 'history'] })
  tags!: string[];

  @ApiProperty({
    maxLength: PREVIEW_LENGTH,
    description: 'the first characters of the text, without its markup',
    example: 'The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.',
  })
  contentPreview!: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'minutes', example: 4 })
  readTime!: number;

  @ApiProperty({ type: String, nullable: true, example: 'https://images.example.org/engine.webp' })
  thumbnailUrl!: string | null;

  @ApiProperty({ description: 'false: hidden, only its author sees it', example: true })
  isPublic!: boolean;

  @ApiProperty({ example: false })
  isPremium!: boolean;

  @ApiProperty({ description: 'title or content changed after publication', example: false })
  isEdited!: boolean;

  @ApiProperty({ type: PostAuthorDto })
  author!: PostAuthorDto;

  @ApiProperty({ type: PostStatsDto })
  stats!: PostStatsDto;

  @ApiProperty({ format: 'date-time', example: TIME })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', example: TIME })
  updatedAt!: string;
}

export class PostDto extends PostCardDto {
  @ApiProperty({ description: 'Markdown', example: '# Notes\n\nThe Analytical Engine weaves *algebraic patterns* …' })
  content!: string;
}

export class PostPageDto extends PageOf(PostCardDto) {}

export class PostListDto {
  @ApiProperty({ type: [PostCardDto] })
  data!: PostCardDto[];
}
