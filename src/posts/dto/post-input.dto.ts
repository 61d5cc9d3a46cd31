import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { IsText, NOT_BLANK, OptionalField } from '../../platform/http/validation/text-rules.js';
import { IsTitle } from '../../platform/http/validation/line.decorator.js';
import { PostLabels } from '../post-labels.dto.js';
import { POST_TYPES, type PostType, VISIBILITIES, type Visibility } from '../post-types.js';
import { MAX_CONTENT, MAX_TITLE } from '../post-rules.js';

export class CreatePost extends PostLabels {
  @ApiProperty({ example: 'Notes on the Analytical Engine' })
  @IsTitle(MAX_TITLE)
  title!: string;

  @ApiProperty({
    description: 'Markdown, stored and returned unchanged; sanitize the HTML that you render from it',
    example: '# Notes\n\nThe Analytical Engine weaves *algebraic patterns* just as the Jacquard loom weaves flowers.',
  })
  @IsText({
    min: 1,
    max: MAX_CONTENT,
    pattern: NOT_BLANK,
    message: `must be 1 to ${MAX_CONTENT} well-formed characters, not all of them blank`,
  })
  content!: string;

  @ApiProperty({ enum: POST_TYPES, example: 'article' })
  @IsIn(POST_TYPES, { message: `type must be one of ${POST_TYPES.join(', ')}` })
  type!: PostType;

  @OptionalField({
    enum: VISIBILITIES,
    default: 'public',
    description:
      '`unlisted`: everyone can read it by its address, and no list shows it; `private`: only the author and moderators',
    example: 'public',
  })
  @IsIn(VISIBILITIES, { message: `visibility must be one of ${VISIBILITIES.join(', ')}` })
  visibility?: Visibility;

  @OptionalField({
    description: 'true: `public`, false: `private`; must not contradict `visibility`',
    example: true,
  })
  @IsBoolean()
  isPublic?: boolean;

  @OptionalField({
    default: false,
    description:
      'whether all readers of the post can read its earlier versions, including those from before it was public',
    example: false,
  })
  @IsBoolean()
  isHistoryPublic?: boolean;
}

/** Missing fields stay unchanged. Only fields that are optional for a new post, without a default, may be `null`. */
export class UpdatePost extends PartialType(CreatePost, { skipNullProperties: false }) {}
