import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { CURSOR_LENGTH, CURSOR_PATTERN } from '../../../common/cursor.js';
import { IsText } from '../validation/text-rules.js';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** `"7"` -> 7. Other values (`+7`, `07`, `7.0`, a list) stay unchanged, so that @IsInt rejects them. */
export function ToStrictInt(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^(0|-?[1-9]\d{0,8})$/.test(value) ? Number(value) : value,
  );
}

/** The query of every list: `limit` and `cursor`. */
export class PageQuery {
  @ApiPropertyOptional({ default: DEFAULT_LIMIT, description: 'number of items on a page', example: 10 })
  @IsOptional()
  @ToStrictInt()
  @Min(1)
  @Max(MAX_LIMIT)
  @IsInt({ message: 'limit must be a whole number' })
  limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    description: '`page.nextCursor` of the previous page, requested with the same filters',
  })
  @IsOptional()
  @IsText({ ...CURSOR_LENGTH, pattern: CURSOR_PATTERN, message: 'is not a cursor of this API' })
  cursor?: string;
}
