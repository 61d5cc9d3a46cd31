import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray } from 'class-validator';
import { IsId } from '../../platform/http/validation/text-rules.js';

export const MAX_TARGETS = 100;

export class TargetsQuery {
  @ApiProperty({
    type: [String],
    description: 'ids of posts and comments, separated by commas, each once',
    example: ['64b7f0c2a4d1e83f5c9b0a12', '64b7f0c2a4d1e83f5c9b0a13'],
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : undefined))
  @IsArray({ message: 'targets must be ids separated by commas' })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_TARGETS, { message: `targets must name at most ${MAX_TARGETS} ids` })
  @ArrayUnique({ message: 'targets must name each id once' })
  @IsId({ each: true, message: 'must be ids of 24 hex digits, separated by commas' })
  targets!: string[];
}
