import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { CURSOR_LENGTH, CURSOR_PATTERN } from '../../../common/cursor.js';
import { IsText, NullableField } from '../validation/text-rules.js';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** `"7"` -> 7. Other values (`+7`, `07`, `7.0`, a list) stay unchanged, so that @IsInt rejects them. */
export function ToStrictInt(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^(0|-?[1-9]\d{0,8})$/.test(value) ? Number(value) : value,
  );
}

/** The number of rows that a list returns, 1 to `max`. It may be absent. */
export function IsLimit(max: number): PropertyDecorator {
  return applyDecorators(
    IsInt({ message: '$property must be a whole number' }),
    Max(max),
    Min(1),
    ToStrictInt(),
    IsOptional(),
  );
}

/** The query of every list: `limit` and `cursor`. */
export class PageQuery {
  @ApiPropertyOptional({ default: DEFAULT_LIMIT, description: 'number of items on a page', example: 10 })
  @IsLimit(MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;

  @NullableField({
    description: '`page.nextCursor` of the previous page, requested with the same filters',
  })
  @IsText({ ...CURSOR_LENGTH, pattern: CURSOR_PATTERN, message: 'is not a cursor of this API' })
  cursor?: string;
}
