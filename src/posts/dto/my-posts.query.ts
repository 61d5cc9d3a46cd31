import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsTag } from '../../platform/http/validation/tags.decorator.js';
import { OptionalField } from '../../platform/http/validation/text-rules.js';
import { POST_TYPES, type PostType, VISIBILITIES, type Visibility } from '../post-types.js';

const SORTS = ['newest', 'oldest'] as const;

export class MyPostsQuery extends PageQuery {
  @OptionalField({ enum: POST_TYPES, description: 'posts of this type' })
  @IsIn(POST_TYPES)
  type?: PostType;

  @OptionalField({ enum: VISIBILITIES, description: 'posts of this visibility' })
  @IsIn(VISIBILITIES)
  visibility?: Visibility;

  @OptionalField({ description: 'posts with this tag', example: EXAMPLE.tag })
  @IsTag()
  tag?: string;

  @OptionalField({ enum: SORTS, default: 'newest', description: 'by publication, or by the start of a draft' })
  @IsIn(SORTS)
  sort: (typeof SORTS)[number] = 'newest';
}
