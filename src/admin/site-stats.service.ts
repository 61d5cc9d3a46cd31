import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { median } from '../audit/daily-counts.js';
import { TextResponse } from '../platform/http/text-response.js';
import { allFields, findMany } from '../platform/mongo/lean-reads.js';
import { bucketOf, startsOf, statRange } from '../views/stat-buckets.js';
import type { SiteBucketDto, SiteStatisticsDto, SiteStatsQuery } from './dto/site-stats.dto.js';
import { SiteDay, SiteDaySchema } from './site-day.schema.js';

const FIELDS = allFields(SiteDaySchema);
const ADDED = ['newAccounts', 'posts', 'comments', 'likes', 'reports', 'mails'] as const;
const COLUMNS = [
  ...['at', 'newAccounts', 'activeAccounts', 'posts', 'comments', 'likes', 'reports'],
  ...['firstActionSeconds', 'mails', 'storageBytes'],
] as (keyof SiteBucketDto)[];

/** The figures of the site by day, week or month, for admins. */
@Injectable()
export class SiteStatsService {
  constructor(@InjectModel(SiteDay.name) private readonly days: Model<SiteDay>) {}

  /** @throws CodedError `invalid_range` */
  async get({ format, ...query }: SiteStatsQuery): Promise<SiteStatisticsDto | TextResponse> {
    const range = statRange(query);
    const rows = await findMany(this.days, { _id: { $gte: range.from, $lte: range.to } }, FIELDS, { sort: { _id: 1 } });
    const byBucket = new Map(startsOf(range).map((at) => [at, [] as SiteDay[]]));
    for (const row of rows) byBucket.get(bucketOf(row._id, range.bucket))!.push(row);
    const series = [...byBucket].map(([at, days]) => bucketFrom(at, days));
    return format === 'csv' ? asCsv(series) : { ...range, series };
  }
}

function bucketFrom(at: string, days: readonly SiteDay[]): SiteBucketDto {
  const sums = ADDED.map((name) => [name, days.reduce((sum, day) => sum + day[name], 0)]);
  return {
    at,
    ...(Object.fromEntries(sums) as Record<(typeof ADDED)[number], number>),
    activeAccounts: Math.max(0, ...days.map(({ activeAccounts }) => activeAccounts)),
    firstActionSeconds: median(days.flatMap(({ firstActionSeconds }) => firstActionSeconds ?? [])),
    storageBytes: days.findLast(({ storageBytes }) => storageBytes !== null)?.storageBytes ?? null,
  };
}

function asCsv(series: readonly SiteBucketDto[]): TextResponse {
  const lines = series.map((bucket) => COLUMNS.map((name) => bucket[name] ?? '').join(','));
  return new TextResponse(`${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="site-stats.csv"',
  });
}
