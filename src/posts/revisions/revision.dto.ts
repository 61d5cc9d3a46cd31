import { ApiProperty } from '@nestjs/swagger';
import { ANSWER } from '../../platform/http/openapi/answer-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { MAX_TAGS } from '../../platform/http/validation/labels.dto.js';
import { TAG } from '../../platform/http/validation/tags.decorator.js';
import { MAX_CONTENT, MAX_TITLE } from '../post-rules.js';
import { POST_TYPES, type PostType } from '../post-types.js';

/** of the version of a post or draft */
export const VERSION = { type: 'integer', format: 'int32', minimum: 1, maximum: 2_147_483_647 } as const;

/** A text that a later one has replaced. */
export class RevisionCardDto {
  @ApiProperty({ ...VERSION, example: 3 })
  version!: number;

  @ApiProperty({ type: String, maxLength: MAX_TITLE, example: 'Notes on the Engine' })
  title!: string;

  @ApiProperty({ enum: POST_TYPES, nullable: true, description: 'null only in drafts', example: 'article' })
  type!: PostType | null;

  @ApiProperty({ type: 'array', items: TAG, maxItems: MAX_TAGS, example: ['mathematics'] })
  tags!: string[];

  @ApiProperty({ ...ANSWER.url, nullable: true, example: null })
  thumbnailUrl!: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 4 * MAX_CONTENT,
    description: 'of the Markdown in UTF-8',
    example: 2_048,
  })
  bytes!: number;

  @ApiProperty({ ...ANSWER.time, description: 'when this text was saved', example: '2026-05-01T09:30:00.000Z' })
  savedAt!: string;
}

export class RevisionPageDto extends PageOf(RevisionCardDto) {}

export class RevisionDto extends RevisionCardDto {
  @ApiProperty({ type: String, maxLength: MAX_CONTENT, description: 'Markdown', example: '# Notes\n' })
  content!: string;
}
