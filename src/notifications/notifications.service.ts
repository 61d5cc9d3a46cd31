import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { ViewerFilters } from '../blocks/viewer-filters.service.js';
import { BatchLoader } from '../common/batch-loader.js';
import { CursorCodec } from '../common/cursor.js';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import { EventPublisher } from '../platform/events/event-publisher.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { NotificationPage, UnreadDto } from './dto/notification.dto.js';
import type { NotificationsQuery } from './dto/notifications.query.js';
import { MAX_COUNTED, type NotificationContent, NotificationContents } from './notification-contents.service.js';
import { decodeOwnId } from './notification-id.js';
import { NOTIFIED } from './notifications.events.js';
import { LATEST, LATEST_OF_KIND, Notification, NotificationState, UNREAD } from './notification.schema.js';

const FIELDS = {
  userId: 1,
  kind: 1,
  postId: 1,
  seq: 1,
  since: 1,
  ownMark: 1,
  createdAt: 1,
  updatedAt: 1,
  expiresAt: 1,
} as const satisfies Record<Exclude<keyof Notification, '_id'>, 1>;
export const FIRST_SEQ = new ObjectId(new Uint8Array(12));

/** The notifications of an account and their read state. */
@Injectable()
export class NotificationsService {
  /** Loads the read marks of accounts. Omits accounts without a state. */
  private readonly marks = new BatchLoader<ObjectId>({ read: (ids) => this.readMarks(ids) });

  constructor(
    private readonly mongo: MongoService,
    private readonly contents: NotificationContents,
    private readonly cursors: CursorCodec,
    private readonly filters: ViewerFilters,
    private readonly events: EventPublisher,
    @InjectModel(Notification.name) private readonly rows: Model<Notification>,
    @InjectModel(NotificationState.name) private readonly states: Model<NotificationState>,
  ) {}

  /** Latest first. Groups without rows are skipped and deleted, so pages are full. Hidden groups are only skipped. */
  async list(viewer: Viewer, query: NotificationsQuery): Promise<NotificationPage> {
    const { limit, cursor, kind, unread: isUnread = false } = query;
    const userId = ObjectId.createFromHexString(viewer.id);
    const scope = `notifications:${viewer.id}:${kind ?? ''}:${isUnread}`;
    const start = cursor === undefined ? null : ObjectId.createFromHexString(this.cursors.decode(scope, cursor).id);
    const [readSeq, filter] = await Promise.all([this.readSeq(userId), this.filters.of(viewer)]);
    const ofKind = kind === undefined ? {} : { kind };
    const page = await fullPage<Notification, { row: Notification; content: NotificationContent }>(
      limit,
      (last, count) => {
        const before = last?.seq ?? start;
        const options = { sort: { seq: -1 }, limit: count } as const;
        if (isUnread) {
          const filter = unreadFilter(userId, readSeq, before);
          return findMany(this.rows, { ...filter, ...ofKind }, FIELDS, { ...options, hint: UNREAD });
        }
        const filter = { userId, ...ofKind, ...(before === null ? {} : { seq: { $lt: before } }) };
        return findMany(this.rows, filter, FIELDS, { ...options, hint: kind === undefined ? LATEST : LATEST_OF_KIND });
      },
      async (rows) => {
        const contents = await this.contents.read(rows, viewer, filter);
        await this.removeEmpty(rows.filter((_, at) => contents[at] === null));
        return rows.map((row, at) => {
          const content = contents[at] ?? null;
          return content === null || content === 'hidden' ? null : { row, content };
        });
      },
      ({ seq }) => this.cursors.encode(scope, { id: seq.toHexString() }),
      filter.maxRows(limit),
    );
    const data = page.data.map(({ row, content }) => ({ ...content, isRead: isRead(row, readSeq) }));
    return { data, page: page.page, unread: await this.countAfter(userId, readSeq) };
  }

  /** The number of unread groups, at most 100. Includes hidden groups, and groups without rows until `list` deletes them. */
  async unreadCount(viewer: Viewer): Promise<UnreadDto> {
    return (await this.readState(ObjectId.createFromHexString(viewer.id))).unread;
  }

  /** @returns the unread count, and the read mark for `isRead` */
  async readState(userId: ObjectId): Promise<{ readSeq: ObjectId; unread: UnreadDto }> {
    const readSeq = await this.readSeq(userId);
    return { readSeq, unread: await this.countAfter(userId, readSeq) };
  }

  /**
   * Moves the read mark forward to a notification, or to the latest one. Never moves the mark back.
   * @throws CodedError `invalid_input` for a notification of another account, `notification_not_found`
   */
  async markRead(viewer: Viewer, upTo?: string): Promise<UnreadDto> {
    const userId = ObjectId.createFromHexString(viewer.id);
    const own = upTo === undefined ? null : decodeOwnId(upTo, viewer.id);
    if (upTo !== undefined && own === null) {
      const fields = [{ field: 'upTo', message: 'must be the id of one of your notifications' }];
      throw new CodedError('invalid_input', 'upTo is not the id of one of your notifications.', { fields });
    }
    const mark = await this.mongo.transaction(async (session) => {
      const filter = own === null ? { userId } : { _id: own };
      const row = await findOne(this.rows, filter, { seq: 1 }, { session, sort: { seq: -1 } });
      if (row === null && own !== null) throw notificationNotFound();
      if (row === null) return FIRST_SEQ;
      const state = await this.states
        .findOneAndUpdate(
          { _id: userId },
          { $max: { readSeq: row.seq } },
          { session, upsert: true, returnDocument: 'after', projection: { readSeq: 1 } },
        )
        .lean()
        .exec();
      const marked = { userId, ownMark: 'unread', seq: { $lte: row.seq } } as const;
      await this.rows.updateMany(marked, { $set: { ownMark: 'none' } }, { session });
      await this.events.publish(session, NOTIFIED, [viewer.id]);
      return state?.readSeq ?? row.seq;
    });
    return this.countAfter(userId, mark);
  }

  /**
   * Marks one notification. Idempotent. Ignores a deleted notification.
   * @throws CodedError `notification_not_found` for a notification of another account
   */
  async markOne(viewer: Viewer, id: string, mark: 'read' | 'unread'): Promise<void> {
    const { modifiedCount } = await this.rows.updateOne({ _id: ownId(viewer, id) }, { $set: { ownMark: mark } });
    if (modifiedCount > 0) await this.events.publishNow(NOTIFIED, [viewer.id]);
  }

  /**
   * Deletes a notification. Idempotent. A later action on the same day creates a new group.
   * @throws CodedError `notification_not_found` for a notification of another account
   */
  async remove(viewer: Viewer, id: string): Promise<void> {
    const { deletedCount } = await this.rows.deleteOne({ _id: ownId(viewer, id) });
    if (deletedCount > 0) await this.events.publishNow(NOTIFIED, [viewer.id]);
  }

  private async readSeq(userId: ObjectId): Promise<ObjectId> {
    return (await this.marks.get(userId.toHexString())) ?? FIRST_SEQ;
  }

  private async readMarks(ids: string[]): Promise<Map<string, ObjectId>> {
    const $in = ids.map((id) => ObjectId.createFromHexString(id));
    const states = await findMany(this.states, { _id: { $in } }, { readSeq: 1 });
    return new Map(states.map(({ _id, readSeq = FIRST_SEQ }) => [_id.toHexString(), readSeq]));
  }

  private async countAfter(userId: ObjectId, readSeq: ObjectId): Promise<UnreadDto> {
    const options = { limit: MAX_COUNTED + 1, hint: UNREAD };
    const count = await this.rows.countDocuments(unreadFilter(userId, readSeq, null), options);
    return { count: Math.min(count, MAX_COUNTED), isCapped: count > MAX_COUNTED };
  }

  /** Deletes groups. Also matches `seq`, so that a group with a concurrent addition is not deleted. */
  private async removeEmpty(rows: Notification[]): Promise<void> {
    if (rows.length === 0) return;
    await this.rows.bulkWrite(rows.map(({ _id, seq }) => ({ deleteOne: { filter: { _id, seq } } })));
  }
}

/** Selects unread groups: two ranges of one index, which the server merges in order. */
function unreadFilter(userId: ObjectId, readSeq: ObjectId, before: ObjectId | null): QueryFilter<Notification> {
  const $lt = before === null ? {} : { $lt: before };
  return {
    $or: [
      { userId, ownMark: 'none', seq: { $gt: readSeq, ...$lt } },
      { userId, ownMark: 'unread', seq: { $gt: FIRST_SEQ, ...$lt } },
    ],
  };
}

export function isRead({ ownMark, seq }: Notification, readSeq: ObjectId): boolean {
  return ownMark === 'none' ? seq.toHexString() <= readSeq.toHexString() : ownMark === 'read';
}

function ownId({ id: userId }: Viewer, id: string): Binary {
  const own = decodeOwnId(id, userId);
  if (own === null) throw notificationNotFound();
  return own;
}

function notificationNotFound(): CodedError {
  return new CodedError('notification_not_found', 'Notification not found.');
}
