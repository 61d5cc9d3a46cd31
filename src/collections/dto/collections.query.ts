import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsTag } from '../../platform/http/validation/tags.decorator.js';
import { IsId, NullableField } from '../../platform/http/validation/text-rules.js';

const COLLECTION_SORTS = ['latest', 'top'] as const;

export class CollectionsQuery extends PageQuery {
  @NullableField({
    enum: COLLECTION_SORTS,
    default: 'latest',
    description: '`latest`: newest first; `top`: most likes and followers, minus dislikes',
  })
  @IsIn(COLLECTION_SORTS, { message: 'sort must be latest or top' })
  sort: (typeof COLLECTION_SORTS)[number] = 'latest';

  @NullableField({ description: 'collections with this tag', example: EXAMPLE.tag })
  @IsTag()
  tag?: string;
}

/** parameters of a cached page with their defaults, in the order of the canonical key */
export const COLLECTIONS_QUERY_DEFAULTS = { sort: 'latest', tag: '', limit: '20', cursor: '' };

export class MyCollectionsQuery extends PageQuery {
  @NullableField({
    description: 'id of a post; `isMember` of each collection says whether it contains the post',
    example: EXAMPLE.postId,
  })
  @IsId()
  contains?: string;
}
