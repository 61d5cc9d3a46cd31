import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { IsId } from './text-rules.js';

const MAX_IDS = 100;

/** `?ids=…,…` of the lists that are asked for by id. */
export class IdsQuery {
  @ApiProperty({
    type: [String],
    description: 'ids, separated by commas',
    example: ['6650c3a2f1d2b3c4d5e6f708', '6650c3a2f1d2b3c4d5e6f709'],
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? eachOnce(value.split(',')) : null))
  @IsArray({ message: 'ids must be one list of ids, separated by commas' })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IDS, { message: `ids must hold at most ${MAX_IDS} ids` })
  @IsId({ each: true, message: 'must be 24 hex digits each' })
  ids!: string[];
}

/** Too many stay too many, also when they are the same. */
function eachOnce(ids: string[]): string[] {
  return ids.length > MAX_IDS ? ids : [...new Set(ids)];
}
