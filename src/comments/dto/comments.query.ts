import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { namedValues } from '../../common/named-values.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';

const COMMENT_SORTS = namedValues('CommentSort', ['newest', 'oldest', 'top']);
export type CommentSort = (typeof COMMENT_SORTS)[number];

export class CommentsQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: COMMENT_SORTS,
    default: 'newest',
    description: '`top`: most likes first',
    example: 'oldest',
  })
  @IsOptional()
  @IsIn(COMMENT_SORTS, { message: 'sort must be newest, oldest or top' })
  sort: CommentSort = 'newest';
}

export class RemoveCommentQuery {
  @ApiPropertyOptional({
    default: false,
    description: 'for the author of the post: everything below it, too',
    example: false,
  })
  @IsOptional()
  @ToBoolean()
  @IsBoolean({ message: 'tree must be true or false' })
  tree: boolean = false;
}
