import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional } from 'class-validator';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsOptionalNotNull } from '../../platform/http/validation/text-rules.js';
import { IsTag, TAG } from '../../platform/http/validation/tags.decorator.js';
import { MAX_DESCRIPTION } from '../tag.schema.js';

export class UpdateTag {
  @ApiPropertyOptional({ description: 'one line', example: 'Numbers, shapes and proofs' })
  @IsOptionalNotNull()
  @IsLine(MAX_DESCRIPTION)
  description?: string;

  @ApiPropertyOptional({
    ...TAG,
    type: String,
    nullable: true,
    description: 'the tag that it stands for; null: itself',
    example: null,
  })
  @IsOptional()
  @IsTag()
  aliasOf?: string | null;

  @ApiPropertyOptional({ description: 'whether lists of tags omit it', example: false })
  @IsOptionalNotNull()
  @IsBoolean()
  isHidden?: boolean;
}
