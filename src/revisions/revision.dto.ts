import { ApiProperty, PickType } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { PageOf } from '../platform/http/pagination/page.js';
import { ToStrictInt } from '../platform/http/pagination/page.query.js';
import { NullableField } from '../platform/http/validation/text-rules.js';
import { PostDto } from '../posts/card/post-card.dto.js';
import { MAX_CONTENT, MAX_TITLE } from '../posts/post-rules.js';
import { POST_TYPES, type PostType } from '../posts/post-types.js';
import { OPTIONAL_LABELS } from '../posts/stored-labels.js';

/** version of a post or draft */
export const VERSION = { type: 'integer', format: 'int32', minimum: 1, maximum: 999_999_999 } as const;

/** A replaced text. */
export class RevisionCardDto extends PickType(PostDto, ['tags', 'thumbnailUrl', ...OPTIONAL_LABELS]) {
  @ApiProperty({ ...VERSION, example: 3 })
  version!: number;

  @ApiProperty({ maxLength: MAX_TITLE, example: 'Notes on the Engine' })
  title!: string;

  @ApiProperty({ enum: POST_TYPES, nullable: true, description: 'null only for drafts', example: 'article' })
  type!: PostType | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 4 * MAX_CONTENT,
    description: 'size of the Markdown in UTF-8',
    example: 2_048,
  })
  bytes!: number;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    description: 'time at which this version was saved',
    example: '2026-05-01T09:30:00.000Z',
  })
  savedAt!: string;
}

export class RevisionPageDto extends PageOf(RevisionCardDto) {}

export class RevisionDto extends RevisionCardDto {
  @ApiProperty({ maxLength: MAX_CONTENT, description: 'Markdown', example: '# Notes\n' })
  content!: string;
}

const LINES = { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_CONTENT } as const;

/** A difference between two texts, with three lines of context, as in a unified diff. */
export class DiffHunkDto {
  @ApiProperty({ ...LINES, description: 'number of its first line, starting at 1', example: 1 })
  oldStart!: number;

  @ApiProperty({ ...LINES, example: 1 })
  oldLines!: number;

  @ApiProperty({ ...LINES, example: 1 })
  newStart!: number;

  @ApiProperty({ ...LINES, example: 2 })
  newLines!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_CONTENT + 1, pattern: '^[ +-]' },
    maxItems: 2 * MAX_CONTENT,
    description: 'each begins with `-` (only in the old text), `+` (only in the new one) or a space',
    example: [' # Notes', '+', '+It weaves.'],
  })
  lines!: string[];
}

export class DiffDto {
  @ApiProperty({ ...VERSION, example: 3 })
  from!: number;

  @ApiProperty({ ...VERSION, example: 4 })
  to!: number;

  @ApiProperty({ type: [DiffHunkDto], maxItems: MAX_CONTENT, description: 'empty if the texts are equal' })
  hunks!: DiffHunkDto[];
}

export class DiffQuery {
  @NullableField({
    type: 'integer',
    description: 'the version to compare with; the current one if absent',
    example: 4,
  })
  @ToStrictInt()
  @Min(1)
  @Max(VERSION.maximum)
  @IsInt({ message: 'against must be a whole number' })
  against?: number;
}
