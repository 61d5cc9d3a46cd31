import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsOptionalNotNull } from '../../platform/http/validation/text-rules.js';

export class DraftsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ['trashed'], description: 'only posts that you deleted, last deleted first' })
  @IsOptionalNotNull()
  @IsIn(['trashed'], { message: 'state must be trashed' })
  state?: 'trashed';
}
