import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsId, IsText, IsOptionalNotNull } from '../../platform/http/validation/text-rules.js';
import { IsTime } from '../../platform/http/validation/time.decorator.js';
import { PostLabels } from '../../posts/post-labels.dto.js';
import { MAX_CONTENT, MAX_TITLE } from '../../posts/post-rules.js';
import { POST_TYPES, type PostType, VISIBILITIES, type Visibility } from '../../posts/post-types.js';

/** A missing field stays unchanged. All fields may be empty until the draft is published. */
export class SaveDraft extends PostLabels {
  @ApiPropertyOptional({ example: 'Notes on the Analytical Engine' })
  @IsOptionalNotNull()
  @IsLine(MAX_TITLE)
  title?: string;

  @ApiPropertyOptional({ description: 'Markdown', example: '# Notes\n\nIt weaves *algebraic patterns*' })
  @IsOptionalNotNull()
  @IsText({ min: 0, max: MAX_CONTENT, message: `must be at most ${MAX_CONTENT} well-formed characters` })
  content?: string;

  @ApiPropertyOptional({ enum: POST_TYPES, nullable: true, example: 'article' })
  @IsOptional()
  @IsIn(POST_TYPES, { message: `type must be one of ${POST_TYPES.join(', ')}` })
  type?: PostType | null;

  @ApiPropertyOptional({
    enum: VISIBILITIES,
    nullable: true,
    description: 'of the post when it is published; null: `public` for a new post, unchanged for an edit',
    example: null,
  })
  @IsOptional()
  @IsIn(VISIBILITIES, { message: `visibility must be one of ${VISIBILITIES.join(', ')}` })
  visibility?: Visibility | null;
}

export class CreateDraft extends SaveDraft {
  @ApiPropertyOptional({
    description: 'one of my posts: the draft starts with its text, and publishing the draft edits the post',
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsId()
  postId?: string | null;
}

export class ScheduleDraft {
  @ApiProperty({
    description: 'RFC 3339 with an offset; 5 minutes to a year ahead',
    example: '2027-01-01T09:00:00Z',
  })
  @IsTime()
  publishAt!: string;
}
