import { Injectable } from '@nestjs/common';
import { BSON, type ClientSession, type Collection, ObjectId } from 'mongodb';
import type { FollowChange } from '../../follows/follow-plan.js';
import type { UpdateStatement } from '../../platform/mongo/batch-commands.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { findRaw } from '../../platform/mongo/raw-read.js';
import { WorkQueue } from '../../platform/work-queue/work-queue.js';
import type { Place } from '../../posts/latest.js';
import { TIMELINES, type Timeline, TimelineSchema, type MergedAuthor, MergedAuthorSchema } from './timeline.schema.js';
import { TimelineConfig } from './timeline-config.js';
import { TIMELINE_CLOSED, TIMELINE_FOLLOW, TIMELINE_OPENED } from './timeline.events.js';

/** A timeline that gets new posts. */
export type OpenTimeline = Pick<Timeline, '_id' | 'seenAt'> & { home: ObjectId };

const FIELDS = { home: 1, isFilled: 1, floor: 1, merged: 1, seenAt: 1 } as const;
const DAY_MS = 86_400_000;
const SEEN_EVERY_MS = 3_600_000;

/** The rows of `home_timelines` and `home_merged_authors`: all writes, and their conditions. */
@Injectable()
export class Timelines {
  private readonly rows: Collection<Timeline>;
  private readonly popular: Collection<MergedAuthor>;

  constructor(
    private readonly mongo: MongoService,
    private readonly tasks: WorkQueue,
    private readonly limits: TimelineConfig,
  ) {
    this.rows = mongo.collection(TimelineSchema);
    this.popular = mongo.collection(MergedAuthorSchema);
  }

  async find(readerId: ObjectId): Promise<Timeline | null> {
    const query = { filter: { _id: readerId }, projection: FIELDS, limit: 1 };
    const { buffer, offsets } = await findRaw(this.mongo.db, TIMELINES, query);
    if (offsets.length === 0) return null;
    const options = { allowObjectSmallerThanBufferSize: true, index: offsets[0]! };
    return BSON.deserialize(buffer, options) as Timeline;
  }

  /** Records a visit of the reader, by the clock of the database, which also decides who is inactive. */
  async touch({ _id, home, seenAt }: Timeline): Promise<void> {
    if (Date.now() - seenAt.getTime() < SEEN_EVERY_MS) return;
    await this.rows.updateOne({ _id, home }, { $currentDate: { seenAt: true } });
  }

  /** From now on posts are written to it; a task fills it. Nothing where it is open already. */
  async open(readerId: ObjectId): Promise<void> {
    const fields = { home: new ObjectId(), isFilled: false, floor: null };
    const update = { $set: fields, $setOnInsert: { merged: [] }, $currentDate: { seenAt: true as const } };
    try {
      await this.mongo.transaction(async (session) => {
        await this.rows.updateOne({ _id: readerId, home: null }, update, { upsert: true, session });
        await this.tasks.add(session, TIMELINE_OPENED, readerId);
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Marks its entries as complete from the floor on. Authors followed since it was opened stay merged. */
  async markFilled({ _id, home }: Timeline, popular: ObjectId[]): Promise<void> {
    await this.rows.updateOne({ _id, home }, { $set: { isFilled: true }, $addToSet: { merged: { $each: popular } } });
  }

  /** Called before older entries are deleted: a reader whose page ends early finds here where it continues. */
  async raiseFloor(home: ObjectId, readerId: ObjectId, { value, id }: Place): Promise<void> {
    const floor = { createdAt: new Date(value), _id: ObjectId.createFromHexString(id) };
    await this.rows.updateOne({ _id: readerId, home }, { $max: { floor } });
  }

  /**
   * @param isAway closes it only if its reader is still inactive
   * @returns whether a timeline was closed
   */
  async close(readerId: ObjectId, isAway = false): Promise<boolean> {
    const ago = { $subtract: ['$$NOW', this.limits.inactiveDays * DAY_MS] };
    return this.mongo.transaction(async (session) => {
      const filter = { _id: readerId, ...(isAway ? { $expr: { $lt: ['$seenAt', ago] } } : {}) };
      const row = await this.rows.findOneAndDelete(filter, { session });
      if (row !== null && row.home !== null) await this.tasks.add(session, TIMELINE_CLOSED, row.home);
      return row !== null;
    });
  }

  /**
   * In the transaction of the changes: new authors are merged at read time until a task has written their posts. A reader who may
   * open a timeline gets a row if there is none, so that `open` and this change conflict on the same row.
   */
  async mark(changes: readonly FollowChange[], session: ClientSession): Promise<void> {
    const mayOpen = ({ followingCount }: FollowChange): boolean => followingCount >= this.limits.mergedFollows / 2;
    const statements = changes
      .filter(({ isFollowing }) => isFollowing)
      .map((change): UpdateStatement => {
        const $setOnInsert = { home: null, isFilled: false, floor: null, seenAt: new Date() };
        const u = { $addToSet: { merged: change.followingId }, $setOnInsert };
        return { q: { _id: change.followerId }, u, upsert: mayOpen(change) };
      });
    await this.mongo.batch.update(this.mongo.collection(TimelineSchema), statements, session);
    const payloads = changes
      .filter(mayOpen)
      .map(({ followerId, followingId }) => ({ readerId: followerId, authorId: followingId }));
    await this.tasks.addMany(session, TIMELINE_FOLLOW, payloads);
  }

  /** Unmarks an author whose posts are in the timeline, or who is no longer followed; authors with very many followers stay merged. */
  async unmark(readerId: ObjectId, authorId: ObjectId, isFollowing: boolean): Promise<void> {
    // never without a mark in between: removing and restoring it would hide the author from a concurrent read
    if (isFollowing && (await this.popularAmong([authorId])).length > 0) return this.merge([readerId], authorId);
    await this.rows.updateOne({ _id: readerId }, { $pull: { merged: authorId } });
    // check again, because the author may have become popular before the mark
    if (isFollowing && (await this.popularAmong([authorId])).length > 0) await this.merge([readerId], authorId);
  }

  async merge(readerIds: ObjectId[], authorId: ObjectId): Promise<void> {
    await this.rows.updateMany({ _id: { $in: readerIds } }, { $addToSet: { merged: authorId } });
  }

  async openAmong(readerIds: ObjectId[]): Promise<OpenTimeline[]> {
    const filter = { _id: { $in: readerIds }, home: { $ne: null } };
    return this.rows.find<OpenTimeline>(filter, { projection: { home: 1, seenAt: 1 } }).toArray();
  }

  isAway({ seenAt }: OpenTimeline): boolean {
    return Date.now() - seenAt.getTime() > this.limits.inactiveDays * DAY_MS;
  }

  async popularAmong(authorIds: ObjectId[]): Promise<ObjectId[]> {
    const rows = await this.popular.find({ _id: { $in: authorIds } }, { projection: { _id: 1 } }).toArray();
    return rows.map(({ _id }) => _id);
  }

  /** Timelines are filled without this author from now on. @returns whether all earlier timelines are already updated */
  async stopFanout(authorId: ObjectId): Promise<boolean> {
    const update = { $setOnInsert: { isSettled: false } };
    const options = { upsert: true, returnDocument: 'after' } as const;
    return (await this.popular.findOneAndUpdate({ _id: authorId }, update, options))!.isSettled;
  }

  async settle(authorId: ObjectId): Promise<void> {
    await this.popular.updateOne({ _id: authorId }, { $set: { isSettled: true } });
  }

  async forgetAuthor(authorId: ObjectId): Promise<void> {
    await this.popular.deleteOne({ _id: authorId });
  }
}
