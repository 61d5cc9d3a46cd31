import { Injectable, Logger } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { BoundedSet } from '../../common/bounded.js';
import { FollowsService } from '../../follows/follows.service.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { counter } from '../../platform/prometheus/metric.js';
import { RateLimiter } from '../../platform/rate-limit/rate-limiter.js';
import { SerializedCards } from '../../posts/card/card-json.js';
import { isOlder, type Position, positionOf } from '../../posts/publication-order.js';
import { LISTED } from '../../posts/visibility.js';
import { authorBranches, type Branch, FollowingReader, MAX_MERGED_AUTHORS } from './following-reader.js';
import { TimelineEntries } from './timeline-entries.js';
import type { TimelineEntry } from './timeline-entry-id.js';
import { TimelineConfig } from './timeline-config.js';
import { Timelines } from './timelines.js';
import type { Timeline } from './timeline.schema.js';

type FilledTimeline = Timeline & { home: ObjectId };

const REMEMBERED_READERS = 10_000;
const BY_ID = { _id: 1 } as const;

const pages = counter({
  name: 'opencanvas_following_pages_total',
  help: 'Pages of the following feed, by source: a home timeline, a merge of a few authors, or a merge of many',
  labelNames: ['from'],
});

/**
 * Reads the following feed: from a merge of index ranges for few followed authors, and from a timeline for many, at a constant cost.
 * Both sources return the same posts in the same order, so their cursors are compatible.
 */
@Injectable()
export class TimelineReader {
  private readonly logger = new Logger('TimelineReader');
  /** readers who followed many authors at their last visit, so that their follows need not be counted */
  private readonly withMany = new BoundedSet<string>(REMEMBERED_READERS);

  constructor(
    private readonly timelines: Timelines,
    private readonly entries: TimelineEntries,
    private readonly following: FollowingReader,
    private readonly follows: FollowsService,
    private readonly limits: TimelineConfig,
    private readonly limiter: RateLimiter,
  ) {}

  /** Returns the first `count` cards after `after`. @throws CodedError `rate_limited` */
  async read({ _id: readerId, id }: Viewer, after: Position | null, count: number): Promise<SerializedCards> {
    if (!this.withMany.has(id)) {
      const authors = await this.follows.followingIds(readerId);
      if (authors.length <= this.limits.mergedFollows) {
        pages.inc({ from: 'few' });
        return this.following.read(authors, after, count);
      }
      this.withMany.add(id);
    }
    const timeline = await this.timelines.find(readerId);
    if (isFilled(timeline)) {
      await this.timelines.touch(timeline);
      return this.page(timeline, after, count);
    }
    const authors = await this.authorsOf(readerId);
    if (authors.length <= this.limits.mergedFollows) this.withMany.delete(id);
    else if (timeline === null || timeline.home === null) await this.open(readerId);
    return this.following.read(authors, after, count);
  }

  /** Opens a timeline. Errors are only logged, because the next page retries. */
  private async open(readerId: ObjectId): Promise<void> {
    const failed = (error: unknown): void => this.logger.warn(`a timeline could not be opened: ${String(error)}`);
    await this.timelines.open(readerId).catch(failed);
  }

  /** Returns the followed authors for a merge. Charges the rate limit, because the cost grows with the follows (docs/experiments.md). */
  private async authorsOf(readerId: ObjectId): Promise<ObjectId[]> {
    const authors = await this.follows.followingIds(readerId);
    this.limiter.chargeReads(readerId.toHexString(), Math.ceil(authors.length / MAX_MERGED_AUTHORS) - 1);
    pages.inc({ from: 'many' });
    return authors;
  }

  /**
   * Reads a page of a timeline. Entries are only candidates, because follows and posts change, so filtered entries may cause further reads.
   * Below the floor, the page is a merge of all authors.
   */
  private async page(timeline: FilledTimeline, start: Position | null, count: number): Promise<SerializedCards> {
    const readerId = timeline._id;
    const runs: SerializedCards[] = [];
    let left = count;
    let after = start;
    let floor = floorOf(timeline);
    let isAtEnd = floor !== null && after !== null && isOlder(after, floor);
    // Reads 25% more than needed, so that a few filtered posts cost no second read.
    for (let size = count + Math.ceil(count / 4); left > 0 && !isAtEnd; size *= 2) {
      const entries = await this.entries.page(timeline.home, after, floor, size);
      isAtEnd = entries.length < size;
      if (isAtEnd) {
        // Entries may have been deleted after the floor was raised.
        const now = await this.timelines.find(readerId);
        if (!isFilled(now) || !now.home.equals(timeline.home)) return this.mergeRest(runs, readerId, after, left);
        floor = floorOf(now);
        if (floor !== null && after !== null && isOlder(after, floor)) break;
      }
      const lower = isAtEnd ? floor : entries.at(-1)!;
      const within = lower === null ? entries : entries.filter((entry) => !isOlder(entry, lower));
      const run = await this.readWindow(timeline, within, after, lower, left);
      runs.push(run);
      left -= run.length;
      after = lower;
    }
    if (left > 0 && floor !== null) return this.mergeRest(runs, readerId, after, left);
    pages.inc({ from: 'timeline' });
    return runs.length === 1 ? runs[0]! : SerializedCards.concat(runs);
  }

  private async mergeRest(
    runs: SerializedCards[],
    readerId: ObjectId,
    after: Position | null,
    left: number,
  ): Promise<SerializedCards> {
    const rest = await this.following.read(await this.authorsOf(readerId), after, left);
    return SerializedCards.concat([...runs, rest]);
  }

  private async readWindow(
    { _id, merged }: FilledTimeline,
    entries: TimelineEntry[],
    after: Position | null,
    lower: Position | null,
    count: number,
  ): Promise<SerializedCards> {
    const authors = new Set(merged.map((id) => id.toHexString()));
    const candidates = new Set([...authors, ...entries.map(({ authorId }) => authorId)]);
    const followed = candidates.size === 0 ? candidates : await this.follows.followedAmong(_id, [...candidates]);
    const ids = entries
      .filter(({ authorId }) => followed.has(authorId) && !authors.has(authorId))
      .map(({ id }) => ObjectId.createFromHexString(id));
    const followedMerged = merged.filter((id) => followed.has(id.toHexString()));
    const branches: Branch[] = authorBranches(followedMerged, after, lower);
    if (ids.length > 0) branches.unshift({ filter: { _id: { $in: ids }, ...LISTED }, hint: BY_ID });
    return this.following.readBranches(branches, count);
  }
}

function isFilled(row: Timeline | null): row is FilledTimeline {
  return row !== null && row.home !== null && row.isFilled;
}

function floorOf({ floor }: Timeline): Position | null {
  return floor === null ? null : positionOf(floor);
}
