import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { Labels } from '../../posts/labels.dto.js';
import { IsText, OptionalField } from '../../platform/http/validation/text-rules.js';
import { IsTitle } from '../../platform/http/validation/line.decorator.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { COLLECTION_KINDS, type CollectionKind } from '../collection-rules.js';
import { MAX_COLLECTION_TITLE, MAX_DESCRIPTION } from '../collection.schema.js';

export class CreateCollection extends Labels {
  @ApiProperty({ example: 'Looms and engines' })
  @IsTitle(MAX_COLLECTION_TITLE)
  title!: string;

  @OptionalField({
    default: '',
    description: 'plain text; surrounding white space is removed',
    example: 'Machines that weave, in the order I met them.',
  })
  @TransformText(MAX_DESCRIPTION, trimAndCompose)
  @IsText({ min: 0, max: MAX_DESCRIPTION, message: `must be at most ${MAX_DESCRIPTION} well-formed characters` })
  description?: string;

  @ApiProperty({
    enum: COLLECTION_KINDS,
    description:
      '`list`: posts of any author; `series`: posts of its owner, each in at most one series. It cannot be changed',
    example: 'list',
  })
  @IsIn(COLLECTION_KINDS, { message: `kind must be one of ${COLLECTION_KINDS.join(', ')}` })
  kind!: CollectionKind;

  @OptionalField({ default: true, description: 'false: only its owner and moderators see it', example: true })
  @IsBoolean()
  isPublic?: boolean;
}

/** A missing field stays unchanged. Only `thumbnailUrl` may be `null`. */
export class UpdateCollection extends PartialType(OmitType(CreateCollection, ['kind'] as const), {
  skipNullProperties: false,
}) {}
