import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional, IsString, Matches, ValidateIf } from 'class-validator';
import { POST_TYPES, type PostType } from '../post-types.js';
import { changeText, TransformText, trimAndCompose } from '../../platform/http/transform-text.decorator.js';
import { CodePoints, IsHttpsUrl } from './post-rules.js';

const MAX_TITLE = 200;
const MAX_CONTENT = 200_000;
const MAX_TAGS = 5;
const MAX_TAG = 32;

function normalisedTags(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const tags = value.map((tag) => changeText(tag, MAX_TAG, (text) => trimAndCompose(text).toLowerCase()));
  return [...new Set(tags)];
}

export class CreatePost {
  @ApiProperty({ minLength: 1, maxLength: MAX_TITLE, example: 'Notes on the Analytical Engine' })
  @TransformText(MAX_TITLE, trimAndCompose)
  @IsString()
  @CodePoints(1, MAX_TITLE)
  @Matches(/^[^\p{Cc}]*$/u, { message: 'title must not hold control characters' })
  title!: string;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_CONTENT,
    description: 'Markdown',
    example: '# Notes\n\nThe Analytical Engine weaves *algebraic patterns* just as the Jacquard loom weaves flowers.',
  })
  @IsString()
  @CodePoints(1, MAX_CONTENT)
  @Matches(/\S/, { message: 'content must not be blank' })
  content!: string;

  @ApiProperty({ enum: POST_TYPES, example: 'article' })
  @IsIn(POST_TYPES, { message: `type must be one of ${POST_TYPES.join(', ')}` })
  type!: PostType;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_TAGS,
    default: [],
    description: 'letters, digits and hyphens; kept in lower case, each once',
    example: ['mathematics', 'history'],
  })
  @ValidateIf((_, value) => value !== undefined)
  @Transform(({ value }) => normalisedTags(value))
  @IsArray()
  @ArrayMaxSize(MAX_TAGS, { message: `tags must hold at most ${MAX_TAGS} tags` })
  @Matches(/^[\p{L}\p{N}-]{1,32}$/u, { each: true, message: 'tags must be 1 to 32 letters, digits or hyphens each' })
  tags?: string[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    example: 'https://images.example.org/engine.webp',
  })
  @IsOptional()
  @IsHttpsUrl()
  thumbnailUrl?: string | null;

  @ApiPropertyOptional({ default: true, description: 'false keeps the post hidden: a draft', example: true })
  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean()
  isPublic?: boolean;

  @ApiPropertyOptional({ default: false, example: false })
  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean()
  isPremium?: boolean;
}

/** Fields left out stay as they are; `null` is a value, and only a thumbnail may have it. */
export class UpdatePost extends PartialType(CreatePost, { skipNullProperties: false }) {}
