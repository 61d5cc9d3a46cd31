import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional } from 'class-validator';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';

export class FollowersQuery extends PageQuery {
  @ApiPropertyOptional({ default: false, description: 'only followers whom you follow; needs a sign-in' })
  @IsOptional()
  @ToBoolean()
  @IsBoolean({ message: 'known must be true or false' })
  known: boolean = false;
}
