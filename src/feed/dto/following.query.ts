import { ArrayMaxSize, ArrayMinSize, IsIn } from 'class-validator';
import { namedValues } from '../../common/named-values.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { ToList } from '../../platform/http/validation/ids.query.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';

export const FOLLOWING_SOURCES = namedValues('FollowingSource', ['people', 'tags']);
export type FollowingSource = (typeof FOLLOWING_SOURCES)[number];

export class FollowingQuery extends PageQuery {
  @NullableField({
    enum: FOLLOWING_SOURCES,
    isArray: true,
    maxItems: FOLLOWING_SOURCES.length,
    default: ['people'],
    description: 'posts of followed accounts (`people`), posts with followed tags (`tags`), separated by commas',
    example: ['people', 'tags'],
  })
  @IsIn(FOLLOWING_SOURCES, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(FOLLOWING_SOURCES.length)
  @ToList()
  include: FollowingSource[] = ['people'];
}
