import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import type { FollowChange } from '../../follows/follow-plan.js';
import type { UpdateStatement } from '../../platform/mongo/update-statements.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { decodeAll, findRaw } from '../../platform/mongo/raw-read.js';
import type { Transaction } from '../../platform/mongo/transaction.js';
import type { Position } from '../../posts/publication-order.js';
import { TIMELINES, type Timeline, TimelineSchema, type MergedAuthor, MergedAuthorSchema } from './timeline.schema.js';
import { TimelineConfig } from './timeline-config.js';
import { TIMELINE_CLOSED, TIMELINE_FOLLOW, TIMELINE_OPENED } from './timeline.events.js';

/** A timeline to which new posts are written. */
export type OpenTimeline = Pick<Timeline, '_id' | 'seenAt'> & { home: ObjectId };

const FIELDS = { home: 1, isFilled: 1, floor: 1, merged: 1, seenAt: 1 } as const;
const DAY_MS = 86_400_000;
const VISIT_INTERVAL_MS = 3_600_000;

/** Performs all writes to `home_timelines` and `home_merged_authors`. */
@Injectable()
export class Timelines {
  private readonly rows: Collection<Timeline>;
  private readonly popular: Collection<MergedAuthor>;

  constructor(
    private readonly mongo: MongoService,
    private readonly limits: TimelineConfig,
  ) {
    this.rows = mongo.collection(TimelineSchema);
    this.popular = mongo.collection(MergedAuthorSchema);
  }

  async find(readerId: ObjectId): Promise<Timeline | null> {
    const query = { filter: { _id: readerId }, projection: FIELDS, limit: 1 };
    return decodeAll<Timeline>(await findRaw(this.mongo.db, TIMELINES, query))[0] ?? null;
  }

  /** Records a visit of the reader, at most once an hour. Uses the database's clock, which also decides whether a reader is inactive. */
  async touch({ _id, home, seenAt }: Timeline): Promise<void> {
    if (Date.now() - seenAt.getTime() < VISIT_INTERVAL_MS) return;
    await this.rows.updateOne({ _id, home }, { $currentDate: { seenAt: true } });
  }

  /** Opens a timeline, so that new posts are written to it and a task fills it. Has no effect on an open timeline. */
  async open(readerId: ObjectId): Promise<void> {
    const fields = { home: new ObjectId(), isFilled: false, floor: null };
    const update = { $set: fields, $setOnInsert: { merged: [] }, $currentDate: { seenAt: true as const } };
    try {
      await this.mongo.transaction(async (tx) => {
        await this.rows.updateOne({ _id: readerId, home: null }, update, { upsert: true, session: tx.session });
        tx.addTask(TIMELINE_OPENED, readerId);
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Marks the timeline as complete from its floor on. Authors followed since the opening remain merged. */
  async markFilled({ _id, home }: Timeline, popular: ObjectId[]): Promise<void> {
    await this.rows.updateOne({ _id, home }, { $set: { isFilled: true }, $addToSet: { merged: { $each: popular } } });
  }

  /** Raises the floor. Call this method before deleting older entries, so that a concurrent reader finds where to continue. */
  async raiseFloor(timelineId: ObjectId, readerId: ObjectId, { value, id }: Position): Promise<void> {
    const floor = { createdAt: new Date(value), _id: ObjectId.createFromHexString(id) };
    await this.rows.updateOne({ _id: readerId, home: timelineId }, { $max: { floor } });
  }

  /**
   * Closes a timeline.
   * @param onlyIfInactive closes it only if the reader is still inactive
   * @returns whether a timeline was closed
   */
  async close(readerId: ObjectId, onlyIfInactive = false): Promise<boolean> {
    const ago = { $subtract: ['$$NOW', this.limits.inactiveDays * DAY_MS] };
    return this.mongo.transaction(async (tx) => {
      const filter = { _id: readerId, ...(onlyIfInactive ? { $expr: { $lt: ['$seenAt', ago] } } : {}) };
      const row = await this.rows.findOneAndDelete(filter, { session: tx.session });
      if (row !== null && row.home !== null) tx.addTask(TIMELINE_CLOSED, row.home);
      return row !== null;
    });
  }

  /**
   * Marks new authors as merged at read time, in the transaction of the follows, until a task has written their posts. Inserts a row for
   * readers that may open a timeline, so that `open` conflicts with this transaction.
   */
  async mark(changes: readonly FollowChange[], tx: Transaction): Promise<void> {
    const mayOpen = ({ followingCount }: FollowChange): boolean => followingCount >= this.limits.mergedFollows / 2;
    const statements = changes
      .filter(({ isFollowing }) => isFollowing)
      .map((change): UpdateStatement => {
        const $setOnInsert = { home: null, isFilled: false, floor: null, seenAt: new Date() };
        const u = { $addToSet: { merged: change.followingId }, $setOnInsert };
        return { q: { _id: change.followerId }, u, upsert: mayOpen(change) };
      });
    await tx.update(this.mongo.collection(TimelineSchema), statements);
    const payloads = changes
      .filter(mayOpen)
      .map(({ followerId, followingId }) => ({ readerId: followerId, authorId: followingId }));
    // One after the other, and not while the timeline is filled.
    tx.addTasks(TIMELINE_FOLLOW, payloads, {
      keysOf: ({ readerId }) => [`cause:${readerId.toHexString()}`],
    });
  }

  /** Unmarks an author whose posts have been written to the timeline, or who is no longer followed. Popular authors remain merged. */
  async unmark(readerId: ObjectId, authorId: ObjectId, isFollowing: boolean): Promise<void> {
    // Retains the mark of a popular author, because removing and restoring the mark would hide the author from a concurrent read.
    if (isFollowing && (await this.popularAmong([authorId])).length > 0) return this.markMerged([readerId], authorId);
    await this.rows.updateOne({ _id: readerId }, { $pull: { merged: authorId } });
    // Checks again, because the author may have become popular before the mark was removed.
    if (isFollowing && (await this.popularAmong([authorId])).length > 0) await this.markMerged([readerId], authorId);
  }

  async markMerged(readerIds: ObjectId[], authorId: ObjectId): Promise<void> {
    await this.rows.updateMany({ _id: { $in: readerIds } }, { $addToSet: { merged: authorId } });
  }

  async openAmong(readerIds: ObjectId[]): Promise<OpenTimeline[]> {
    const filter = { _id: { $in: readerIds }, home: { $ne: null } };
    return this.rows.find<OpenTimeline>(filter, { projection: { home: 1, seenAt: 1 } }).toArray();
  }

  isInactive({ seenAt }: OpenTimeline): boolean {
    return Date.now() - seenAt.getTime() > this.limits.inactiveDays * DAY_MS;
  }

  async popularAmong(authorIds: ObjectId[]): Promise<ObjectId[]> {
    const rows = await this.popular.find({ _id: { $in: authorIds } }, { projection: { _id: 1 } }).toArray();
    return rows.map(({ _id }) => _id);
  }

  /** Excludes an author from the fan-out. @returns whether all timelines opened before have been updated */
  async stopFanout(authorId: ObjectId): Promise<boolean> {
    const update = { $setOnInsert: { isSettled: false } };
    const options = { upsert: true, returnDocument: 'after' } as const;
    return (await this.popular.findOneAndUpdate({ _id: authorId }, update, options))!.isSettled;
  }

  async settle(authorId: ObjectId): Promise<void> {
    await this.popular.updateOne({ _id: authorId }, { $set: { isSettled: true } });
  }

  async deleteMergedAuthor(authorId: ObjectId): Promise<void> {
    await this.popular.deleteOne({ _id: authorId });
  }
}
