import { ApiProperty, PickType } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { TAG } from '../../platform/http/validation/tags.decorator.js';
import { MAX_FOLLOWED_TAGS } from '../tag-follow.schema.js';
import { MAX_DESCRIPTION } from '../tag.schema.js';

export class TagDto {
  @ApiProperty({ ...TAG, example: EXAMPLE.tag })
  tag!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'public posts, counted every hour', example: 120 })
  postsCount!: number;

  @ApiProperty({
    format: 'double',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'posts, likes and comments of the last 48 hours by their mean of the 28 days before, computed every hour; 0: not more than before',
    example: 2.4,
  })
  trend!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 35 })
  followersCount!: number;
}

export class TagPage extends PageOf(TagDto) {}

export class TagDetailsDto extends TagDto {
  @ApiProperty({
    type: String,
    maxLength: MAX_DESCRIPTION,
    description: 'by moderators; empty for most tags',
    example: '',
  })
  description!: string;
}

export class TagListDto {
  @ApiProperty({ type: [TagDto], maxItems: MAX_FOLLOWED_TAGS, description: 'most recent follow first' })
  data!: TagDto[];
}

export class TagFollowDto extends PickType(TagDto, ['tag', 'followersCount'] as const) {
  @ApiProperty({ example: true })
  isFollowing!: boolean;
}
