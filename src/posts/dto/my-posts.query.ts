import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsTag } from '../../platform/http/validation/tags.decorator.js';
import { IsOptionalNotNull } from '../../platform/http/validation/text-rules.js';
import { POST_TYPES, type PostType, VISIBILITIES, type Visibility } from '../post-types.js';

const SORTS = ['newest', 'oldest'] as const;

export class MyPostsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: POST_TYPES, description: 'posts of this type' })
  @IsOptionalNotNull()
  @IsIn(POST_TYPES)
  type?: PostType;

  @ApiPropertyOptional({ enum: VISIBILITIES, description: 'posts of this visibility' })
  @IsOptionalNotNull()
  @IsIn(VISIBILITIES)
  visibility?: Visibility;

  @ApiPropertyOptional({ description: 'posts with this tag', example: EXAMPLE.tag })
  @IsOptionalNotNull()
  @IsTag()
  tag?: string;

  @ApiPropertyOptional({ enum: SORTS, default: 'newest', description: 'by publication, or by the start of a draft' })
  @IsOptionalNotNull()
  @IsIn(SORTS)
  sort: (typeof SORTS)[number] = 'newest';
}
