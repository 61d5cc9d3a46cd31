import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';
import { BUCKETS, type Bucket } from '../../views/stat-buckets.js';
import { DAY, StatsQuery } from '../../views/stats.query.js';

const COUNT = { ...RESPONSE_SCHEMAS.count, example: 12 };
const FORMATS = ['json', 'csv'] as const;

export class SiteStatsQuery extends StatsQuery {
  @NullableField({ enum: FORMATS, default: 'json', description: '`csv`: the series as a file' })
  @IsIn(FORMATS)
  format: (typeof FORMATS)[number] = 'json';
}

export class SiteBucketDto {
  @ApiProperty({ ...DAY, description: 'the first day of the bucket', example: '2026-05-01' })
  at!: string;

  @ApiProperty(COUNT)
  newAccounts!: number;

  @ApiProperty({
    ...COUNT,
    description: 'accounts that signed in or refreshed their session; of a week or month, the highest number of a day',
  })
  activeAccounts!: number;

  @ApiProperty({ ...COUNT, description: 'posts that became public' })
  posts!: number;

  @ApiProperty(COUNT)
  comments!: number;

  @ApiProperty({ ...COUNT, description: 'of posts' })
  likes!: number;

  @ApiProperty({ ...COUNT, description: 'also by rules' })
  reports!: number;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.count,
    nullable: true,
    description:
      'median seconds from the first report of a case to its decision, by the day of the decision; of a week or month, the median of its days. Null without a decision',
    example: 5400,
  })
  firstActionSeconds!: number | null;

  @ApiProperty({ ...COUNT, description: 'sent mails' })
  mails!: number;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.count,
    nullable: true,
    description: 'data and indexes in the database at the end; null before the first count',
    example: 52428800,
  })
  storageBytes!: number | null;
}

export class SiteStatisticsDto {
  @ApiProperty({ ...DAY, example: '2026-05-01' })
  from!: string;

  @ApiProperty({ ...DAY, example: '2026-05-30' })
  to!: string;

  @ApiProperty({ enum: BUCKETS, example: 'day' })
  bucket!: Bucket;

  @ApiProperty({ type: [SiteBucketDto], maxItems: 400, description: 'every bucket, oldest first' })
  series!: SiteBucketDto[];
}

export const SITE_STATS_RESPONSE = {
  content: {
    'application/json': { schema: { $ref: getSchemaPath(SiteStatisticsDto) } },
    'text/csv': {
      schema: { type: 'string', maxLength: 100_000 },
      example: 'at,newAccounts,activeAccounts,posts\r\n2026-05-01,12,340,25\r\n',
    },
  },
};
