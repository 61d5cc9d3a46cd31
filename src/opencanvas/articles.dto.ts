import { ApiPropertyOptional } from '@nestjs/swagger';
import { AcceptsUnknownFields } from '../platform/http/validation/accepts-unknown-fields.decorator.js';
import { IsLimit } from '../platform/http/pagination/page.query.js';
import { IsText, NullableField } from '../platform/http/validation/text-rules.js';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
/** for cursors of this server and of OpenCanvas */
const MAX_CURSOR = 300;

@AcceptsUnknownFields()
export class ArticlesQuery {
  @ApiPropertyOptional({ default: DEFAULT_LIMIT })
  @IsLimit(MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;

  @NullableField({ description: '`nextCursor` of the page before' })
  @IsText({ min: 0, max: MAX_CURSOR, message: 'is not a cursor' })
  cursor?: string;
}
