import { EXAMPLE } from '../../common/examples.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsId, OptionalField } from '../../platform/http/validation/text-rules.js';

export class ModerationLogQuery extends PageQuery {
  @OptionalField({ description: 'actions of this account', example: EXAMPLE.userIds[0] })
  @IsId()
  actorId?: string;

  @OptionalField({ description: 'actions on this post, comment, collection or account', example: EXAMPLE.postId })
  @IsId()
  targetId?: string;
}
