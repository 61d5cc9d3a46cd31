import { IsIn } from 'class-validator';
import { IsDay } from '../platform/http/validation/time.decorator.js';
import { NullableField } from '../platform/http/validation/text-rules.js';
import { BUCKETS, type Bucket } from './stat-buckets.js';

export const DAY = { type: 'string', format: 'date', minLength: 10, maxLength: 10 } as const;

export class StatsQuery {
  @NullableField({ description: 'first day (UTC), by default 30 buckets before the last; at most 400 buckets' })
  @IsDay()
  from?: string;

  @NullableField({ description: 'last day (UTC), by default today' })
  @IsDay()
  to?: string;

  @NullableField({ enum: BUCKETS, default: 'day', description: 'weeks begin on Monday' })
  @IsIn(BUCKETS, { message: `bucket must be one of ${BUCKETS.join(', ')}` })
  bucket?: Bucket;
}
