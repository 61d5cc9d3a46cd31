import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { namedValues } from '../../common/named-values.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsTag } from '../../platform/http/validation/tags.decorator.js';

export const TAG_SORTS = namedValues('TagSort', ['popular', 'trending', 'name']);
export type TagSort = (typeof TAG_SORTS)[number];

export class TagsQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: TAG_SORTS,
    default: 'popular',
    description:
      '`popular`: most posts first; `trending`: highest `trend` first, only tags that rise; `name`: in the order of Unicode',
  })
  @IsOptional()
  @IsIn(TAG_SORTS)
  sort: TagSort = 'popular';

  @ApiPropertyOptional({ description: 'tags that begin with this text', example: 'math' })
  @IsOptional()
  @IsTag()
  prefix?: string;
}

/** parameters of a cached page with their defaults, in the order of the canonical key */
export const TAGS_QUERY_DEFAULTS = { sort: 'popular', prefix: '', limit: '20', cursor: '' };
