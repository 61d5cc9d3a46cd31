import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { IsHttpsUrl } from '../../platform/http/validation/https-url.decorator.js';
import { IsTagList } from '../../platform/http/validation/tags.decorator.js';
import { IsText, MayBeAbsent } from '../../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { POST_TYPES, type PostType } from '../post-types.js';
import { MAX_CONTENT, MAX_TAGS, MAX_TITLE } from './post-rules.js';

export class CreatePost {
  @ApiProperty({ example: 'Notes on the Analytical Engine' })
  @TransformText(MAX_TITLE, trimAndCompose)
  @IsText({
    min: 1,
    max: MAX_TITLE,
    pattern: /^\s*[^\s\p{Cc}][^\p{Cc}]*$/u,
    message: `must be 1 to ${MAX_TITLE} characters without control characters, not all of them blank`,
  })
  title!: string;

  @ApiProperty({
    description: 'Markdown, stored and answered as it came: sanitise the HTML you make of it',
    example: '# Notes\n\nThe Analytical Engine weaves *algebraic patterns* just as the Jacquard loom weaves flowers.',
  })
  @IsText({
    min: 1,
    max: MAX_CONTENT,
    pattern: /^\s*\S/,
    message: `must be 1 to ${MAX_CONTENT} well-formed characters, not all of them blank`,
  })
  content!: string;

  @ApiProperty({ enum: POST_TYPES, example: 'article' })
  @IsIn(POST_TYPES, { message: `type must be one of ${POST_TYPES.join(', ')}` })
  type!: PostType;

  @ApiPropertyOptional({
    type: [String],
    default: [],
    description: 'letters, digits and hyphens; kept in lower case, each once',
    example: ['mathematics', 'history'],
  })
  @MayBeAbsent()
  @IsTagList(MAX_TAGS)
  tags?: string[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    description: 'https, without credentials; stored as the URL standard writes it',
    example: 'https://images.example.org/engine.webp',
  })
  @IsOptional()
  @IsHttpsUrl()
  thumbnailUrl?: string | null;

  @ApiPropertyOptional({ default: true, description: 'false keeps the post hidden: a draft', example: true })
  @MayBeAbsent()
  @IsBoolean()
  isPublic?: boolean;
}

/** Fields left out stay as they are; `null` is a value, and only a thumbnail may have it. */
export class UpdatePost extends PartialType(CreatePost, { skipNullProperties: false }) {}
