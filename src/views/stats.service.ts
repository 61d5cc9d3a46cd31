import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { PostsService } from '../posts/posts.service.js';
import { postNotFound } from '../posts/visibility.js';
import { Exported } from '../users/exported.decorator.js';
import { UsersService } from '../users/users.service.js';
import { AUTHOR_COUNTERS, AuthorDay } from './author-day.schema.js';
import type { AuthorStatisticsDto, PostStatisticsDto } from './dto/stats.dto.js';
import { daysOf } from './event-keys.js';
import { PostEventDay } from './post-event.schema.js';
import { bucketOf, dayAt, startsOf, type StatRange, statRange } from './stat-buckets.js';
import type { StatsQuery } from './stats.query.js';
import { addTop, OTHER, type TopCount } from './top-counts.js';

const POST_COUNTERS = ['views', 'reads', 'shares', 'likes', 'comments'] as const;
const POST_FIELDS = { day: 1, month: 1, views: 1, reads: 1, shares: 1, likes: 1, comments: 1, referrers: 1 } as const;
const AUTHOR_FIELDS = { ...POST_FIELDS, follows: 1, posts: 1 } as const;
const TOP_POSTS = 10;

type Counts<Counter extends string> = Record<Counter, number>;
type DayRow<Counter extends string> = { day?: string; month?: string; referrers?: TopCount[] } & {
  [Name in Counter]?: number;
};

/** Views, reads, shares, likes, comments and follows by day, for the author and for admins. */
@Injectable()
export class StatsService {
  constructor(
    private readonly posts: PostsService,
    private readonly users: UsersService,
    @InjectModel(PostEventDay.name) private readonly postDays: Model<PostEventDay>,
    @InjectModel(AuthorDay.name) private readonly authorDays: Model<AuthorDay>,
  ) {}

  /** @throws CodedError `post_not_found`, `forbidden`, `invalid_range` */
  async ofPost(id: ObjectId, viewer: Viewer, query: StatsQuery): Promise<PostStatisticsDto> {
    const range = statRange(query);
    const { authorId } = await this.posts.getReadable(id, viewer);
    if (!authorId.equals(viewer._id) && !hasRole(viewer, 'admin'))
      throw new CodedError('forbidden', 'Only its author can read the stats of a post.');
    const days = await findMany(this.postDays, daysOf({ $eq: id }), POST_FIELDS);
    // Read after the days, the counters contain every event of these. The rest are recent events.
    const post = (await this.posts.findTargets([id])).get(id.toHexString());
    if (post === undefined) throw postNotFound();
    const { viewsCount: views, readsCount: reads, sharesCount: shares, ...stats } = post.stats;
    const counted = sumOf(days, POST_COUNTERS);
    const recent = {
      day: dayAt(Date.now()),
      views: views - counted.views,
      reads: reads - counted.reads,
      shares: shares - counted.shares,
    };
    const totals = { views, reads, shares, likes: stats.likesCount, comments: stats.commentsCount };
    return { ...range, totals, ...seriesOf([...days, recent], POST_COUNTERS, range) };
  }

  /** Includes events of ended windows only. @throws CodedError `user_not_found`, `invalid_range` */
  async ofAuthor(userId: ObjectId, viewer: Viewer, query: StatsQuery): Promise<AuthorStatisticsDto> {
    const range = statRange(query);
    const [days, { stats }] = await Promise.all([
      findMany(this.authorDays, daysOf({ $eq: userId }), AUTHOR_FIELDS),
      this.users.getById(userId),
    ]);
    const { likesReceivedCount: likes, followersCount: follows } = stats;
    const totals = { ...sumOf(days, AUTHOR_COUNTERS), likes, follows };
    const viewed = addTop(
      [],
      days.filter((row) => isIn(range, row)).flatMap(({ posts = [] }) => posts),
    );
    const summaries = await this.posts.findSummaries(
      viewed.map(({ key }) => new ObjectId(key)),
      viewer,
    );
    const topPosts = viewed.flatMap(({ key, count: views }) => {
      const post = summaries.get(key);
      return post === undefined ? [] : [{ id: key, slug: post.slug, title: post.title, views }];
    });
    const series = seriesOf(days, AUTHOR_COUNTERS, range);
    return { ...range, totals, ...series, topPosts: topPosts.slice(0, TOP_POSTS) };
  }

  @Exported('stats.csv')
  async *exportDays(userId: ObjectId): AsyncGenerator<string, void, undefined> {
    yield `day,${AUTHOR_COUNTERS.join(',')}\r\n`;
    for (const row of await findMany(this.authorDays, daysOf({ $eq: userId }), AUTHOR_FIELDS))
      yield `${[row.day ?? row.month, ...AUTHOR_COUNTERS.map((counter) => row[counter])].join(',')}\r\n`;
  }
}

/** Adds the rows to `sums`, and returns it. */
function sumOf<Counter extends string>(
  rows: readonly DayRow<Counter>[],
  counters: readonly Counter[],
  sums = Object.fromEntries(counters.map((counter) => [counter, 0])) as Counts<Counter>,
): Counts<Counter> {
  for (const row of rows) for (const counter of counters) sums[counter] += row[counter] ?? 0;
  return sums;
}

function seriesOf<Counter extends string>(
  days: readonly (DayRow<Counter> & DayRow<'views' | 'reads'>)[],
  counters: readonly Counter[],
  range: StatRange,
): { series: (Counts<Counter> & { at: string })[] } & Pick<PostStatisticsDto, 'readRatio' | 'referrers'> {
  const rows = days.filter((row) => isIn(range, row));
  const none = sumOf([], counters);
  const byBucket = new Map(startsOf(range).map((at) => [at, { at, ...none }]));
  for (const row of rows) sumOf<Counter>([row], counters, byBucket.get(bucketOf(dayOf(row), range.bucket)));
  const referrers = addTop(
    [],
    rows.flatMap((row) => row.referrers ?? []),
    OTHER,
  );
  const { views, reads } = sumOf<'views' | 'reads'>(rows, ['views', 'reads']);
  return {
    series: [...byBucket.values()],
    readRatio: views === 0 ? null : Math.round((reads / views) * 1_000) / 1_000,
    referrers: referrers.map(({ key: host, count }) => ({ host, views: count })),
  };
}

function isIn({ from, to }: StatRange, row: { day?: string; month?: string }): boolean {
  const day = dayOf(row);
  return from <= day && day <= to;
}

/** The sums of a month stand at its first day. */
function dayOf({ day, month }: { day?: string; month?: string }): string {
  return day ?? `${month}-01`;
}
