import { ApiPropertyOptional } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsId, IsOptionalNotNull } from '../../platform/http/validation/text-rules.js';

export class ModerationLogQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'actions of this account', example: EXAMPLE.userIds[0] })
  @IsOptionalNotNull()
  @IsId()
  actorId?: string;

  @ApiPropertyOptional({ description: 'actions on this post, comment, collection or account', example: EXAMPLE.postId })
  @IsOptionalNotNull()
  @IsId()
  targetId?: string;
}
