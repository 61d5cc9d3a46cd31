import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize } from 'class-validator';
import { EXAMPLE } from '../../../common/examples.js';
import { IsId } from './text-rules.js';

const MAX_IDS = 100;

/** Parses `a,b` or repeated parameters into a list, with at most one item more than allowed, so that validation sees the excess. */
export function ToList(change = (items: string[]): string[] => items): PropertyDecorator {
  const most = MAX_IDS + 1;
  return Transform(({ value }: { value: unknown }) => {
    const parts = [value].flat().slice(0, most);
    return change(parts.flatMap((part) => String(part).split(',', most)).slice(0, most));
  });
}

/** `ids=a,b` or `ids=a&ids=b`, as clients write lists: 1 to 100 ids. @param change transforms the list before it is checked */
export function IsIdList(change = eachOnce): PropertyDecorator {
  return applyDecorators(
    IsId({ each: true, message: 'must be 24 hex digits in lower case' }),
    ArrayMaxSize(MAX_IDS, { message: `$property must hold at most ${MAX_IDS} ids` }),
    ArrayMinSize(1),
    ToList(change),
  );
}

/** `?ids=…,…` of lists by id. */
export class IdsQuery {
  @ApiProperty({
    type: [String],
    description: 'ids, separated by commas, or repeated',
    example: EXAMPLE.userIds,
  })
  @IsIdList()
  ids!: string[];
}

/** Removes duplicates, but not from a list above the limit, which validation must reject. */
function eachOnce(ids: string[]): string[] {
  return ids.length > MAX_IDS ? ids : [...new Set(ids)];
}
