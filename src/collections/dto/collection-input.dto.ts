import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { IsHttpsUrl } from '../../platform/http/validation/https-url.decorator.js';
import { IsTagList } from '../../platform/http/validation/tags.decorator.js';
import { IsText, MayBeAbsent } from '../../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { COLLECTION_KINDS, type CollectionKind, MAX_COLLECTION_TAGS } from '../collection-row.js';
import { MAX_COLLECTION_TITLE, MAX_DESCRIPTION } from '../collection.schema.js';

export class CreateCollection {
  @ApiProperty({ example: 'Looms and engines' })
  @TransformText(MAX_COLLECTION_TITLE, trimAndCompose)
  @IsText({
    min: 1,
    max: MAX_COLLECTION_TITLE,
    pattern: /^\s*[^\s\p{Cc}][^\p{Cc}]*$/u,
    message: `must be 1 to ${MAX_COLLECTION_TITLE} characters without control characters, not all of them blank`,
  })
  title!: string;

  @ApiPropertyOptional({
    type: String,
    default: '',
    description: 'plain text; white space around it is cut off',
    example: 'Machines that weave, in the order I met them.',
  })
  @MayBeAbsent()
  @TransformText(MAX_DESCRIPTION, trimAndCompose)
  @IsText({ min: 0, max: MAX_DESCRIPTION, message: `must be at most ${MAX_DESCRIPTION} well-formed characters` })
  description?: string;

  @ApiProperty({
    enum: COLLECTION_KINDS,
    description: '`list`: posts of anyone; `series`: posts of its owner, each in no other series. It stays as it is',
    example: 'list',
  })
  @IsIn(COLLECTION_KINDS, { message: `kind must be one of ${COLLECTION_KINDS.join(', ')}` })
  kind!: CollectionKind;

  @ApiPropertyOptional({ default: true, description: 'false: only its owner sees it', example: true })
  @MayBeAbsent()
  @IsBoolean()
  isPublic?: boolean;

  @ApiPropertyOptional({
    type: [String],
    default: [],
    description: 'letters, digits and hyphens; kept in lower case, each once',
    example: ['mathematics', 'history'],
  })
  @MayBeAbsent()
  @IsTagList(MAX_COLLECTION_TAGS)
  tags?: string[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    description: 'https, without credentials; stored as the URL standard writes it',
    example: 'https://images.example.org/loom.webp',
  })
  @IsOptional()
  @IsHttpsUrl()
  thumbnailUrl?: string | null;
}

/** Fields left out stay as they are; `null` is a value, and only a thumbnail may have it. */
export class UpdateCollection extends PartialType(OmitType(CreateCollection, ['kind'] as const), {
  skipNullProperties: false,
}) {}
