import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** `"7"` -> 7; anything else (`+7`, `07`, `7.0`, a list) is left as it is, so that @IsInt refuses it. */
export function ToStrictInt(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^(0|-?[1-9]\d{0,8})$/.test(value) ? Number(value) : value,
  );
}

/** The one list query: every list takes `limit` and `cursor`. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'rows a page',
    example: 10,
  })
  @IsOptional()
  @ToStrictInt()
  @IsInt({ message: 'limit must be a whole number' })
  @Min(1)
  @Max(MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({ type: String, description: '`page.nextCursor` of the page before, unchanged' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,200}$/, { message: 'cursor is not a cursor of this API' })
  cursor?: string;
}
