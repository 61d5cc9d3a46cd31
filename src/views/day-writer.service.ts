import { Injectable } from '@nestjs/common';
import type { Collection, ObjectId } from 'mongodb';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { byIds } from '../platform/mongo/update-statements.js';
import { AUTHOR_COUNTERS, type AuthorCounter, type AuthorDay, AuthorDaySchema } from './author-day.schema.js';
import { dayId } from './event-keys.js';
import { DAY_COUNTERS, type DayCounter, type PostEventDay, PostEventDaySchema } from './post-event.schema.js';
import { addTop, OTHER, type TopCount } from './top-counts.js';

/** the length of `2026-05` */
const MONTH_LENGTH = 7;

type Counter = DayCounter | AuthorCounter;

/**
 * What happened on a day.
 * @field postId absent: not to a post
 * @field authorId absent: of a deleted post
 */
export type DayChange = {
  postId?: ObjectId | undefined;
  authorId?: ObjectId | undefined;
  /** or a month, `2026-05` */
  day: string;
  counts: Partial<Record<Counter, number>>;
  /** of the views */
  referrers?: TopCount[];
  /** views by post; by default those of `postId` */
  posts?: TopCount[];
};
type Lists = { posts: TopCount[]; referrers: TopCount[] };
type Sum = Lists & { fields: object; counts: Record<string, number> };
type Row = { _id: string } & Partial<Lists>;

/** Adds to the days of posts and of their authors, in the transaction of the caller. */
@Injectable()
export class DayWriterService {
  private readonly posts: Collection<PostEventDay>;
  private readonly authors: Collection<AuthorDay>;

  constructor(mongo: MongoService) {
    this.posts = mongo.collection(PostEventDaySchema);
    this.authors = mongo.collection(AuthorDaySchema);
  }

  async add(changes: readonly DayChange[], tx: Transaction): Promise<void> {
    await this.write(this.posts, sumsOf('postId', changes, DAY_COUNTERS), tx);
    await this.write(this.authors, sumsOf('authorId', changes, AUTHOR_COUNTERS), tx);
  }

  private async write(
    days: Collection<PostEventDay> | Collection<AuthorDay>,
    sums: Map<string, Sum>,
    tx: Transaction,
  ): Promise<void> {
    const ids = [...sums].flatMap(([id, { posts, referrers }]) => (posts.length + referrers.length > 0 ? [id] : []));
    const rows = ids.length === 0 ? [] : await tx.find<Row>(days, byIds(ids), { posts: 1, referrers: 1 }, ids.length);
    const stored = new Map(rows.map((row) => [row._id, row]));
    const statements = [...sums].map(([_id, { fields, counts, posts, referrers }]) => {
      const row = stored.get(_id);
      const lists = {
        ...(posts.length > 0 && { posts: addTop(row?.posts, posts) }),
        ...(referrers.length > 0 && { referrers: addTop(row?.referrers, referrers, OTHER) }),
      };
      const $set = Object.keys(lists).length > 0 && { $set: lists };
      return { q: { _id }, u: { $inc: counts, $setOnInsert: fields, ...$set }, upsert: true };
    });
    await tx.update(days, statements);
  }
}

function sumsOf(
  owner: 'postId' | 'authorId',
  changes: readonly DayChange[],
  counters: readonly Counter[],
): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const { [owner]: id, postId, day, counts, referrers = [], posts = [] } of changes) {
    if (id === undefined) continue;
    const key = dayId(id, day);
    const zeros = Object.fromEntries(counters.map((counter) => [counter, 0]));
    const sum = sums.get(key) ?? {
      fields: { [owner]: id, ...dayOrMonth(day) },
      counts: zeros,
      posts: [],
      referrers: [],
    };
    for (const counter of counters) sum.counts[counter]! += counts[counter] ?? 0;
    if (owner === 'authorId' && postId !== undefined && counts.views !== undefined)
      sum.posts.push({ key: postId.toHexString(), count: counts.views });
    sum.posts.push(...posts);
    sum.referrers.push(...referrers);
    sums.set(key, sum);
  }
  return sums;
}

function dayOrMonth(day: string): { month: string } | { day: string } {
  return day.length === MONTH_LENGTH ? { month: day } : { day };
}
