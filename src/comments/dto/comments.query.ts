import { IsBoolean, IsIn } from 'class-validator';
import { namedValues } from '../../common/named-values.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';

const COMMENT_SORTS = namedValues('CommentSort', ['newest', 'oldest', 'top']);
export type CommentSort = (typeof COMMENT_SORTS)[number];

export class CommentsQuery extends PageQuery {
  @NullableField({
    enum: COMMENT_SORTS,
    default: 'newest',
    description: '`top`: most likes first',
    example: 'oldest',
  })
  @IsIn(COMMENT_SORTS, { message: 'sort must be newest, oldest or top' })
  sort: CommentSort = 'newest';
}

export class RemoveCommentQuery {
  @NullableField({
    default: false,
    description: 'for the author of the post: everything below it, too',
    example: false,
  })
  @ToBoolean()
  @IsBoolean({ message: 'tree must be true or false' })
  tree: boolean = false;
}
