import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { MAX_LIMIT, ToStrictInt } from '../../platform/http/pagination/page.query.js';

export const DEFAULT_TOP_WRITERS = 5;

export class TopWritersQuery {
  @ApiPropertyOptional({ default: DEFAULT_TOP_WRITERS, example: 5 })
  @IsOptional()
  @ToStrictInt()
  @IsInt({ message: 'limit must be a whole number' })
  @Min(1)
  @Max(MAX_LIMIT)
  limit: number = DEFAULT_TOP_WRITERS;
}
