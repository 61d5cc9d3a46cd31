import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { IsId } from './text-rules.js';

const MAX_IDS = 100;

/** `a,b` in a query: 1 to 100 ids. @param change what is made of the list before it is checked */
function IsIdList(change = (ids: string[]): string[] => ids): PropertyDecorator {
  return applyDecorators(
    IsId({ each: true, message: 'must be 24 hex digits each' }),
    ArrayMaxSize(MAX_IDS, { message: `$property must hold at most ${MAX_IDS} ids` }),
    ArrayMinSize(1),
    IsArray({ message: '$property must be one list of ids, separated by commas' }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? change(value.split(',')) : null)),
  );
}

/** `?ids=…,…` of the lists that are asked for by id. */
export class IdsQuery {
  @ApiProperty({
    type: [String],
    description: 'ids, separated by commas',
    example: ['6650c3a2f1d2b3c4d5e6f708', '6650c3a2f1d2b3c4d5e6f709'],
  })
  @IsIdList(eachOnce)
  ids!: string[];
}

/** Too many stay too many, also when they are the same. */
function eachOnce(ids: string[]): string[] {
  return ids.length > MAX_IDS ? ids : [...new Set(ids)];
}
