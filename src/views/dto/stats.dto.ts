import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { BUCKETS, type Bucket } from '../stat-buckets.js';
import { DAY } from '../stats.query.js';

const COUNT = { ...RESPONSE_SCHEMAS.count, example: 12 };

export class PostCountsDto {
  @ApiProperty(COUNT)
  views!: number;

  @ApiProperty(COUNT)
  reads!: number;

  @ApiProperty(COUNT)
  shares!: number;

  @ApiProperty(COUNT)
  likes!: number;

  @ApiProperty(COUNT)
  comments!: number;
}

class AuthorCountsDto extends PostCountsDto {
  @ApiProperty({ ...COUNT, description: 'followers' })
  follows!: number;
}

class PostBucketDto extends PostCountsDto {
  @ApiProperty({ ...DAY, description: 'the first day of the bucket', example: '2026-05-01' })
  at!: string;
}

class AuthorBucketDto extends AuthorCountsDto {
  @ApiProperty({ ...DAY, description: 'the first day of the bucket', example: '2026-05-01' })
  at!: string;
}

class ReferrerDto {
  @ApiProperty({
    type: String,
    maxLength: 253,
    description: 'a host, `internal` for this site, or `other` for those beyond the 20 highest of a day',
    example: 'news.example.org',
  })
  host!: string;

  @ApiProperty(COUNT)
  views!: number;
}

class StatsDto {
  @ApiProperty({ ...DAY, example: '2026-05-01' })
  from!: string;

  @ApiProperty({ ...DAY, example: '2026-05-30' })
  to!: string;

  @ApiProperty({ enum: BUCKETS, example: 'day' })
  bucket!: Bucket;

  @ApiProperty({
    type: Number,
    minimum: 0,
    nullable: true,
    description: 'reads by views in the range; null without views',
    example: 0.42,
  })
  readRatio!: number | null;

  @ApiProperty({
    type: [ReferrerDto],
    maxItems: 21,
    description: 'of the views in the range whose window has ended, highest first, then `other`',
  })
  referrers!: ReferrerDto[];
}

export class PostStatisticsDto extends StatsDto {
  @ApiProperty({ description: 'the counters of the post' })
  totals!: PostCountsDto;

  @ApiProperty({
    type: [PostBucketDto],
    maxItems: 400,
    description: 'every bucket, oldest first. A like that is taken back stays in its day.',
  })
  series!: PostBucketDto[];
}

class TopPostDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.postId })
  id!: string;

  @ApiProperty({ type: String, maxLength: 300, example: `notes-on-the-analytical-engine-${EXAMPLE.postId}` })
  slug!: string;

  @ApiProperty({ type: String, maxLength: 300, example: EXAMPLE.postTitle })
  title!: string;

  @ApiProperty(COUNT)
  views!: number;
}

export class AuthorStatisticsDto extends StatsDto {
  @ApiProperty({ description: 'of all time, with the present likes and followers' })
  totals!: AuthorCountsDto;

  @ApiProperty({
    type: [AuthorBucketDto],
    maxItems: 400,
    description: 'every bucket, oldest first, also of posts deleted later',
  })
  series!: AuthorBucketDto[];

  @ApiProperty({ type: [TopPostDto], maxItems: 10, description: 'the posts with the most views in the range' })
  topPosts!: TopPostDto[];
}
