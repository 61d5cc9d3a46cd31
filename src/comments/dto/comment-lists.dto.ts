import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsId, OptionalField, NullableField } from '../../platform/http/validation/text-rules.js';
import { CommentWithPostDto } from '../comment-with-post.dto.js';

const COMMENT_STATES = ['visible', 'removed', 'deleted'] as const;
export type CommentState = (typeof COMMENT_STATES)[number];
const STATE_FILTERS = [...COMMENT_STATES, 'all'] as const;

export class CommentWithPostPage extends PageOf(CommentWithPostDto) {}

export class ModeratedCommentsQuery extends PageQuery {
  @OptionalField({ description: 'comments of this account', example: EXAMPLE.userIds[0] })
  @IsId()
  authorId?: string;

  @NullableField({
    enum: STATE_FILTERS,
    default: 'all',
    description: '`deleted`: those that stay in the tree because they have replies',
    example: 'visible',
  })
  @IsIn(STATE_FILTERS, { message: 'state must be visible, removed, deleted or all' })
  state: CommentState | 'all' = 'all';
}
