import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsTitle } from '../../platform/http/validation/line.decorator.js';
import { IsSubsetOf, OptionalField, NullableField } from '../../platform/http/validation/text-rules.js';
import { IsTime } from '../../platform/http/validation/time.decorator.js';
import {
  FILTER_ACTIONS,
  type FilterAction,
  FILTERED_KINDS,
  type FilteredKind,
  MAX_FILTERS,
  MAX_PHRASE,
} from '../content-filter.schema.js';
import { FILTER_EXAMPLE } from '../filtered.dto.js';

export class CreateContentFilter {
  @ApiProperty({
    description: 'matched without case, accents and compatibility forms; unique in an account',
    example: FILTER_EXAMPLE.phrase,
  })
  @IsTitle(MAX_PHRASE)
  phrase!: string;

  @OptionalField({
    default: true,
    description: 'false: also matches parts of words; signs such as an emoji always match anywhere',
    example: true,
  })
  @IsBoolean()
  isWholeWord?: boolean;

  @ApiProperty({
    isArray: true,
    description: '`posts`: title, tags and preview; `comments`: the text',
    example: ['posts', 'comments'],
  })
  @IsSubsetOf(FILTERED_KINDS)
  in!: FilteredKind[];

  @ApiProperty({
    enum: FILTER_ACTIONS,
    description: '`hide`: lists omit it; `warn`: lists name the filter in `filtered`',
    example: 'warn',
  })
  @IsIn(FILTER_ACTIONS, { message: `action must be one of ${FILTER_ACTIONS.join(', ')}` })
  action!: FilterAction;

  @NullableField({
    type: String,
    nullable: true,
    description: 'RFC 3339 with an offset; absent or null: until you delete it',
    example: '2099-12-31T00:00:00Z',
  })
  @IsTime()
  until?: string | null;
}

/** Missing fields stay unchanged; `null` removes the end. */
export class UpdateContentFilter extends PartialType(CreateContentFilter, { skipNullProperties: false }) {}

export class ContentFilterDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: FILTER_EXAMPLE.id })
  id!: string;

  @ApiProperty({ minLength: 1, maxLength: MAX_PHRASE, example: FILTER_EXAMPLE.phrase })
  phrase!: string;

  @ApiProperty({ example: true })
  isWholeWord!: boolean;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...FILTERED_KINDS] },
    minItems: 1,
    maxItems: FILTERED_KINDS.length,
    example: ['posts', 'comments'],
  })
  in!: FilteredKind[];

  @ApiProperty({ enum: FILTER_ACTIONS, example: 'warn' })
  action!: FilterAction;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'null: until you delete it',
    example: '2099-12-31T00:00:00.000Z',
  })
  until!: Date | null;
}

export class ContentFilterListDto {
  @ApiProperty({ type: [ContentFilterDto], maxItems: MAX_FILTERS })
  data!: ContentFilterDto[];
}
