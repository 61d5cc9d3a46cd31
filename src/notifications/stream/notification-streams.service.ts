import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Collection, ObjectId } from 'mongodb';
import { ViewerFiltersService } from '../../blocks/viewer-filters.service.js';
import { BatchLoader } from '../../common/batch-loader.js';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { Semaphore } from '../../common/semaphore.js';
import { AccessTokenService } from '../../platform/access/access-token.service.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { EventStream } from '../../platform/events/event-stream.js';
import type { ServerSentEvent, SseStream } from '../../platform/http/sse/sse-stream.js';
import { SseStreams } from '../../platform/http/sse/sse-streams.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { NotificationContentsService } from '../notification-contents.service.js';
import { LATEST, type Notification, NotificationSchema } from '../notification.schema.js';
import { NOTIFIED } from '../notifications.events.js';
import type { UnreadDto } from '../unread.dto.js';
import { isRead, NotificationsService } from '../notifications.service.js';
import { MAX_NEW, StreamPosition } from './stream-position.js';

/** maximum number of ranges in one aggregation */
const MAX_RANGES = 50;
/** Deletions, withdrawn likes and the like of other accounts publish no event of this account. */
const RECOUNT_MS = 60_000;
const READING = { running: 8, waiting: 20_000, waitMs: 60_000 };

type LiveStream = {
  stream: SseStream;
  position: StreamPosition;
  /** the first read only sets the position and sends no notifications */
  isNew: boolean;
  mustReset: boolean;
  /** the last unread count sent */
  unread: UnreadDto | null;
  /** time of the last read that began, of `performance.now()` */
  readAt: number;
  isStale: boolean;
  isReading: boolean;
};

/**
 * Streams new notifications. Every process receives the ids of accounts with changes and reads them for its own streams. The `seq` of a
 * group is the position of a client. No stream state is stored, so any process can resume a stream.
 */
@Injectable()
export class NotificationStreamsService implements OnModuleInit {
  private readonly logger = new Logger('NotificationStreams');
  private readonly rows: Collection<Notification>;
  private readonly byAccount = new Map<string, Set<LiveStream>>();
  private readonly slots = new Semaphore(READING);
  /** Loads the latest groups after a position, latest first. The key is an account id followed by a `seq`. */
  private readonly newRows = new BatchLoader<Notification[]>({
    read: (keys) => this.readTogether(keys),
    maxBatch: MAX_RANGES,
  });

  constructor(
    mongo: MongoService,
    private readonly notifications: NotificationsService,
    private readonly contents: NotificationContentsService,
    private readonly filters: ViewerFiltersService,
    private readonly streams: SseStreams,
    private readonly events: EventStream,
    private readonly tokens: AccessTokenService,
  ) {
    this.rows = mongo.collection(NotificationSchema);
  }

  onModuleInit(): void {
    const all = (): IterableIterator<string> => this.byAccount.keys();
    const onEvent = (ids: string[]): void => this.refreshAll(ids);
    this.events.subscribe(NOTIFIED, { onEvent, onGap: () => this.refreshAll(all()) });
    this.filters.onChange(onEvent);
  }

  /**
   * Opens a stream of notifications from now on, or after `lastEventId` of an earlier stream.
   * @throws CodedError `overloaded`
   */
  open(reply: FastifyReply, viewer: Viewer, lastEventId?: string): void {
    const stream = this.streams.open(reply, viewer);
    const resumed = lastEventId === undefined ? undefined : new StreamPosition(lastEventId);
    const canResume = resumed?.isRecent === true;
    const position = canResume ? resumed : new StreamPosition();
    const mustReset = resumed !== undefined && !canResume;
    const state = { isStale: false, isReading: false, readAt: 0 };
    const live: LiveStream = { stream, position, isNew: !canResume, mustReset, unread: null, ...state };
    const ofAccount = this.byAccount.get(viewer.id) ?? new Set();
    this.byAccount.set(viewer.id, ofAccount.add(live));
    stream.onClose = () => {
      ofAccount.delete(live);
      if (ofAccount.size === 0) this.byAccount.delete(viewer.id);
    };
    stream.onQuiet = (now) => {
      if (live.unread?.count !== 0 && now - live.readAt >= RECOUNT_MS) void this.refresh(live);
    };
    void this.refresh(live);
  }

  private refreshAll(userIds: Iterable<string>): void {
    for (const id of userIds) for (const live of this.byAccount.get(id) ?? []) void this.refresh(live);
  }

  /** Runs one read per stream at a time. A change during a read triggers another read. */
  private async refresh(live: LiveStream): Promise<void> {
    live.isStale = true;
    if (live.isReading) return;
    live.isReading = true;
    live.readAt = performance.now();
    if (!(await this.slots.acquire())) return live.stream.end();
    try {
      while (live.isStale && live.stream.isOpen) {
        live.isStale = false;
        live.stream.send(await this.nextEvents(live));
      }
    } catch (error) {
      if (!isDatabaseOutage(error)) this.logger.error(`an event stream failed: ${String(error)}`);
      // The client resumes after the last event that it received.
      live.stream.end();
    } finally {
      this.slots.release();
      live.isReading = false;
    }
  }

  private async nextEvents(live: LiveStream): Promise<ServerSentEvent[]> {
    const { stream, position } = live;
    const { viewer } = stream;
    const key = `${viewer.id}${position.since.toHexString()}`;
    const [rows = [], { readSeq, unread }] = await Promise.all([
      this.newRows.get(key),
      this.notifications.readState(viewer),
    ]);
    const events: ServerSentEvent[] = [];
    if (live.isNew || rows.length > MAX_NEW) {
      position.skip(rows);
      live.mustReset ||= !live.isNew;
      live.isNew = false;
    } else {
      const taken = position.take(rows);
      const contents = await this.contents.read(
        taken.map(({ row }) => row),
        viewer,
        await this.filters.of(viewer),
      );
      for (const [at, { row, id }] of taken.entries()) {
        const content = contents[at] ?? null;
        if (content === null) continue;
        events.push({ event: 'notification', id, data: { ...content, isRead: isRead(row, readSeq) } });
      }
    }
    // The session may have been revoked during the read.
    if (this.tokens.isRevoked(viewer)) {
      stream.end();
      return [];
    }
    if (live.mustReset) events.push({ event: 'reset', id: position.id, data: {} });
    live.mustReset = false;
    const known = live.unread;
    live.unread = unread;
    if (unread.count !== known?.count || unread.isCapped !== known.isCapped)
      events.push({ event: 'unread', id: position.id, data: unread });
    return events;
  }

  private async readTogether(keys: string[]): Promise<Map<string, Notification[]>> {
    const coll = this.rows.collectionName;
    const [first, ...others] = keys.map((key, at) => {
      const [userId, since] = [key.slice(0, 24), key.slice(24)].map((hex) => ObjectId.createFromHexString(hex));
      // The sort contains all fields of the index, so that the planner chooses no other index.
      const order = [{ $match: { userId, seq: { $gt: since } } }, { $sort: LATEST }, { $limit: MAX_NEW + 1 }];
      return { coll, pipeline: [...order, { $group: { _id: at, rows: { $push: '$$ROOT' } } }] };
    });
    const pipeline = [...first!.pipeline, ...others.map(($unionWith) => ({ $unionWith }))];
    const found = await this.rows.aggregate<{ _id: number; rows: Notification[] }>(pipeline).toArray();
    return new Map(found.map(({ _id, rows }) => [keys[_id]!, rows]));
  }
}
