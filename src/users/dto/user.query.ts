import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { MAX_LIMIT, ToStrictInt } from '../../platform/http/page.query.js';
import { OBJECT_ID_PATTERN } from '../../platform/http/parse-object-id.pipe.js';

export const DEFAULT_TOP_WRITERS = 5;
const MAX_IDS = 100;

export class TopWritersQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_TOP_WRITERS, example: 5 })
  @IsOptional()
  @ToStrictInt()
  @IsInt({ message: 'limit must be a whole number' })
  @Min(1)
  @Max(MAX_LIMIT)
  limit: number = DEFAULT_TOP_WRITERS;
}

export class UsersByIdQuery {
  @ApiProperty({
    type: String,
    description: `up to ${MAX_IDS} ids, separated by commas`,
    example: '6650c3a2f1d2b3c4d5e6f708,6650c3a2f1d2b3c4d5e6f709',
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [...new Set(value.split(','))] : null))
  @IsArray({ message: 'ids must be one list of ids, separated by commas' })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IDS, { message: `ids must hold at most ${MAX_IDS} ids` })
  @Matches(OBJECT_ID_PATTERN, { each: true, message: 'ids must be 24 hex digits each' })
  ids!: string[];
}
