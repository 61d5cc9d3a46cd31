import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { IsDay } from '../platform/http/validation/time.decorator.js';
import { BUCKETS, type Bucket } from './stat-buckets.js';

export const DAY = { type: 'string', format: 'date', minLength: 10, maxLength: 10 } as const;

export class StatsQuery {
  @ApiPropertyOptional({ description: 'first day (UTC), by default 30 buckets before the last; at most 400 buckets' })
  @IsOptional()
  @IsDay()
  from?: string;

  @ApiPropertyOptional({ description: 'last day (UTC), by default today' })
  @IsOptional()
  @IsDay()
  to?: string;

  @ApiPropertyOptional({ enum: BUCKETS, default: 'day', description: 'weeks begin on Monday' })
  @IsOptional()
  @IsIn(BUCKETS, { message: `bucket must be one of ${BUCKETS.join(', ')}` })
  bucket?: Bucket;
}
