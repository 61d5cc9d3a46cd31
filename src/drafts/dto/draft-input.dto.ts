import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsId, IsText, OptionalField, NullableField } from '../../platform/http/validation/text-rules.js';
import { IsTime } from '../../platform/http/validation/time.decorator.js';
import { PostLabels } from '../../posts/post-labels.dto.js';
import { MAX_CONTENT, MAX_TITLE } from '../../posts/post-rules.js';
import { POST_TYPES, type PostType, VISIBILITIES, type Visibility } from '../../posts/post-types.js';

/** A missing field stays unchanged. All fields may be empty until the draft is published. */
export class SaveDraft extends PostLabels {
  @OptionalField({ example: 'Notes on the Analytical Engine' })
  @IsLine(MAX_TITLE)
  title?: string;

  @OptionalField({ description: 'Markdown', example: '# Notes\n\nIt weaves *algebraic patterns*' })
  @IsText({ min: 0, max: MAX_CONTENT, message: `must be at most ${MAX_CONTENT} well-formed characters` })
  content?: string;

  @NullableField({ enum: POST_TYPES, nullable: true, example: 'article' })
  @IsIn(POST_TYPES, { message: `type must be one of ${POST_TYPES.join(', ')}` })
  type?: PostType | null;

  @NullableField({
    enum: VISIBILITIES,
    nullable: true,
    description: 'of the post when it is published; null: `public` for a new post, unchanged for an edit',
    example: null,
  })
  @IsIn(VISIBILITIES, { message: `visibility must be one of ${VISIBILITIES.join(', ')}` })
  visibility?: Visibility | null;
}

export class CreateDraft extends SaveDraft {
  @NullableField({
    description: 'one of my posts: the draft starts with its text, and publishing the draft edits the post',
    nullable: true,
    example: null,
  })
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
