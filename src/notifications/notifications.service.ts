import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import type { ListFilter } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { BatchLoader } from '../common/batch-loader.js';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/access/viewer.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { EventPublisher } from '../platform/events/event-publisher.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { NotificationPage } from './dto/notification.dto.js';
import type { UnreadDto } from './unread.dto.js';
import type { NotificationsQuery } from './dto/notifications.query.js';
import { MAX_COUNTED, type NotificationContent, NotificationContentsService } from './notification-contents.service.js';
import { decodeOwnId, kindOf } from './notification-id.js';
import { KIND_OPTIONS } from './notification-kinds.js';
import { NOTIFIED } from './notifications.events.js';
import {
  LATEST,
  LATEST_OF_KIND,
  Notification,
  NOTIFICATIONS,
  NotificationState,
  STATES,
  UNREAD,
  NotificationSchema,
} from './notification.schema.js';

const FIELDS = allFields(NotificationSchema);
/** The number of groups that one page or count reads at most. Groups that show nothing are in the way until they expire. */
const MAX_ROWS = 500;
/** before all groups. A deleted group of the kinds `isOnce` keeps its row with this `seq`, so that it is not created again. */
export const FIRST_SEQ = new ObjectId(new Uint8Array(12));

type FirstRows = {
  rows: Notification[];
  readSeq: ObjectId;
  /** hex ids of the groups that are marked as unread */
  marked: string[];
};

/** The notifications of an account and their read state. */
@Injectable()
export class NotificationsService {
  /** Loads the read marks of accounts. Omits accounts without a state. */
  private readonly marks = new BatchLoader<ObjectId>({ read: (ids) => this.readMarks(ids) });

  constructor(
    private readonly mongo: MongoService,
    private readonly contents: NotificationContentsService,
    private readonly paginator: Paginator,
    private readonly filters: ViewerFiltersService,
    private readonly events: EventPublisher,
    @InjectModel(Notification.name) private readonly rows: Model<Notification>,
    @InjectModel(NotificationState.name) private readonly states: Model<NotificationState>,
  ) {}

  /** Latest first, without groups that show nothing now. A page that has read MAX_ROWS groups may be short, and has a cursor. */
  async list(viewer: Viewer, query: NotificationsQuery): Promise<NotificationPage> {
    const { kind, unread: isUnread = false } = query;
    const userId = viewer._id;
    const isFirst = query.cursor === undefined && kind === undefined && !isUnread;
    const [first, filter] = await Promise.all([
      isFirst ? this.firstRows(userId, query.limit + 1) : null,
      this.filters.of(viewer),
    ]);
    const readSeq = first?.readSeq ?? (await this.readSeq(userId));
    const ofKind = kind === undefined ? {} : { kind };
    const shown = new Map<string, boolean>();
    const unread: Notification[] = [];
    let lastSeq = '';
    const page = await this.paginator.list<Notification, { row: Notification; content: NotificationContent }>({
      query,
      scope: `notifications:${viewer.id}:${kind ?? ''}:${isUnread}`,
      positionOf: ({ seq }) => ({ id: seq.toHexString() }),
      read: async (after, limit) => {
        if (after === null && first !== null) return first.rows;
        const before = after && ObjectId.createFromHexString(after.id);
        const options = { sort: { seq: -1 }, limit } as const;
        if (isUnread) {
          const filter = unreadFilter(userId, readSeq, before);
          return findMany(this.rows, { ...filter, ...ofKind }, FIELDS, { ...options, hint: UNREAD });
        }
        const filter = { userId, ...ofKind, seq: { $gt: FIRST_SEQ, ...(before === null ? {} : { $lt: before }) } };
        return findMany(this.rows, filter, FIELDS, { ...options, hint: kind === undefined ? LATEST : LATEST_OF_KIND });
      },
      resolve: async (rows) => {
        const contents = await this.contents.read(rows, viewer, filter);
        return rows.map((row, at) => {
          const content = contents[at] ?? null;
          lastSeq = row.seq.toHexString();
          if (content !== null && !isRead(row, readSeq)) unread.push(row);
          shown.set(row._id.toString('hex'), content !== null);
          return content && { row, content };
        });
      },
      maxRows: MAX_ROWS,
    });
    const data = page.data.map(({ row, content }) => ({ ...content, isRead: isRead(row, readSeq) }));
    // Groups after the last one are read by the mark, unless they are marked as unread.
    const isEnd = page.page.nextCursor === null || lastSeq <= readSeq.toHexString();
    const isComplete = isEnd && unread.length <= MAX_COUNTED && first?.marked.every((id) => shown.has(id)) === true;
    return {
      data,
      page: page.page,
      unread: isComplete
        ? { count: unread.length, isCapped: false }
        : await this.countAfter(viewer, readSeq, filter, shown),
    };
  }

  /**
   * Reads the first groups, the read mark, and the groups that are marked as unread, in one round trip: the commands of a page cost as
   * much as its rows.
   */
  private async firstRows(userId: ObjectId, limit: number): Promise<FirstRows> {
    const own = { userId, seq: { $gt: FIRST_SEQ } };
    // Each sort contains all fields of its index, so that the planner chooses no other index.
    const marked = [{ $match: { ...own, ownMark: 'unread' } }, { $sort: UNREAD }, { $limit: MAX_COUNTED + 1 }];
    const found = this.rows.collection.aggregate<{ row?: Notification; marked?: Binary; readSeq?: ObjectId }>([
      ...[{ $match: own }, { $sort: LATEST }, { $limit: limit }, { $project: { _id: 0, row: '$$ROOT' } }],
      { $unionWith: { coll: NOTIFICATIONS, pipeline: [...marked, { $project: { _id: 0, marked: '$_id' } }] } },
      { $unionWith: { coll: STATES, pipeline: [{ $match: { _id: userId } }, { $project: { _id: 0, readSeq: 1 } }] } },
    ]);
    const first: FirstRows = { rows: [], readSeq: FIRST_SEQ, marked: [] };
    for await (const { row, marked, readSeq } of found) {
      if (row !== undefined) first.rows.push(row);
      if (marked !== undefined) first.marked.push(marked.toString('hex'));
      if (readSeq !== undefined) first.readSeq = readSeq;
    }
    return first;
  }

  /** The number of unread groups that `list` returns, at most 100. */
  async unreadCount(viewer: Viewer): Promise<UnreadDto> {
    return (await this.readState(viewer)).unread;
  }

  /** @returns the unread count, and the read mark for `isRead` */
  async readState(viewer: Viewer): Promise<{ readSeq: ObjectId; unread: UnreadDto }> {
    const userId = viewer._id;
    const [readSeq, filter] = await Promise.all([this.readSeq(userId), this.filters.of(viewer)]);
    return { readSeq, unread: await this.countAfter(viewer, readSeq, filter) };
  }

  /**
   * Moves the read mark forward to a notification, or to the latest one. Never moves the mark back.
   * @throws CodedError `invalid_input` for a notification of another account, `notification_not_found`
   */
  async markRead(viewer: Viewer, upTo?: string): Promise<UnreadDto> {
    const userId = viewer._id;
    const own = upTo === undefined ? null : decodeOwnId(upTo, viewer.id);
    if (upTo !== undefined && own === null) {
      const fields = [{ field: 'upTo', message: 'must be the id of one of your notifications' }];
      throw new CodedError('invalid_input', 'upTo is not the id of one of your notifications.', { fields });
    }
    const mark = await this.mongo.transaction(async (tx) => {
      const filter = { ...(own === null ? { userId } : { _id: own }), seq: { $gt: FIRST_SEQ } };
      const row = await findOne(this.rows, filter, { seq: 1 }, { session: tx.session, sort: { seq: -1 } });
      if (row === null && own !== null) throw notificationNotFound();
      if (row === null) return FIRST_SEQ;
      const state = await this.states
        .findOneAndUpdate(
          { _id: userId },
          { $max: { readSeq: row.seq } },
          { session: tx.session, upsert: true, returnDocument: 'after', projection: { readSeq: 1 } },
        )
        .lean()
        .exec();
      const marked = { userId, ownMark: 'unread', seq: { $lte: row.seq } } as const;
      await this.rows.updateMany(marked, { $set: { ownMark: 'none' } }, { session: tx.session });
      tx.publish(NOTIFIED, [viewer.id]);
      return state?.readSeq ?? row.seq;
    });
    return this.countAfter(viewer, mark, await this.filters.of(viewer));
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
   * Deletes a notification. Idempotent. A later action on the same day creates a new group; a post or mention that is shown again does not.
   * @throws CodedError `notification_not_found` for a notification of another account
   */
  async delete(viewer: Viewer, id: string): Promise<void> {
    const _id = ownId(viewer, id);
    const kind = kindOf(_id);
    const { modifiedCount: count } =
      kind !== undefined && KIND_OPTIONS[kind].isOnce
        ? await this.rows.updateOne({ _id, seq: { $gt: FIRST_SEQ } }, { $set: { seq: FIRST_SEQ, ownMark: 'none' } })
        : { modifiedCount: (await this.rows.deleteOne({ _id })).deletedCount };
    if (count > 0) await this.events.publishNow(NOTIFIED, [viewer.id]);
  }

  private async readSeq(userId: ObjectId): Promise<ObjectId> {
    return (await this.marks.get(userId.toHexString())) ?? FIRST_SEQ;
  }

  private async readMarks(ids: string[]): Promise<Map<string, ObjectId>> {
    const $in = ids.map((id) => ObjectId.createFromHexString(id));
    const states = await findMany(this.states, { _id: { $in } }, { readSeq: 1 });
    return new Map(states.map(({ _id, readSeq = FIRST_SEQ }) => [_id.toHexString(), readSeq]));
  }

  /** @param known whether groups are shown, by hex id, as far as the caller has read them */
  private async countAfter(
    viewer: Viewer,
    readSeq: ObjectId,
    filter: ListFilter,
    known: ReadonlyMap<string, boolean> = new Map(),
  ): Promise<UnreadDto> {
    const userId = viewer._id;
    const { data, page } = await fullPage<Notification, true>(
      MAX_COUNTED,
      (last, limit) => {
        const options = { sort: { seq: -1 }, limit, hint: UNREAD } as const;
        return findMany(this.rows, unreadFilter(userId, readSeq, last?.seq ?? null), FIELDS, options);
      },
      async (rows) => {
        const shown = new Map(known);
        const others = rows.filter(({ _id }) => !known.has(_id.toString('hex')));
        const found = await this.contents.areShown(others, viewer, filter);
        others.forEach(({ _id }, at) => shown.set(_id.toString('hex'), found[at]!));
        return rows.map(({ _id }) => (shown.get(_id.toString('hex')) === true ? true : null));
      },
      String,
      MAX_ROWS,
    );
    return { count: data.length, isCapped: page.nextCursor !== null };
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
