import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { MAX_FILTERS, MAX_PHRASE } from './content-filter.schema.js';

export const FILTER_EXAMPLE = { id: '6650c3a2f1d2b3c4d5e6f7b3', phrase: 'season finale' };

/** A filter that warns of a post or comment. */
export class FilteredDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, description: 'id of the filter', example: FILTER_EXAMPLE.id })
  id!: string;

  @ApiProperty({ minLength: 1, maxLength: MAX_PHRASE, example: FILTER_EXAMPLE.phrase })
  phrase!: string;
}

export const FILTERED = {
  type: [FilteredDto],
  minItems: 1,
  maxItems: MAX_FILTERS,
  description: 'in lists: your filters that warn of the text; absent if there are none',
} satisfies ApiPropertyOptions;
