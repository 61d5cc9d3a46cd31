import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { pairId, pairsOf, secondOf } from '../common/pair-id.js';
import { SubscriptionsPort, type WatchLevel } from '../follows/subscriptions-port.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { PostsService } from '../posts/posts.service.js';
import { canSee } from '../posts/visibility.js';
import { UsersService } from '../users/users.service.js';
import type { BellDto, WatchedPostDto } from './dto/subscription.dto.js';
import { digestOffsetMs, nextDigestAt } from './mails/digest-time.js';
import { DEFAULT_SETTINGS, type NotificationSettings } from './notification-settings.js';
import { NotificationState } from './notification.schema.js';
import type { MailSubject } from './mails/unsubscribe-links.js';
import { Bell, PostWatch } from './subscription.schema.js';

type PairRange = { $gte: Binary; $lt: Binary } | { $gte: Binary; $lte: Binary };

const MAX_BELLS = 200;
const OF_DIGESTS = new Set(['digest', 'digestHour', 'timeZone']);

/** Notification settings, watched posts and bells of accounts. */
@Injectable()
export class SubscriptionsService implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly port: SubscriptionsPort,
    private readonly paginator: Paginator,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    @InjectModel(NotificationState.name) private readonly states: Model<NotificationState>,
    @InjectModel(PostWatch.name) private readonly watches: Model<PostWatch>,
    @InjectModel(Bell.name) private readonly bells: Model<Bell>,
  ) {}

  onModuleInit(): void {
    this.port.register({
      bellsAmong: (viewer, userIds) => this.bellsAmong(viewer, userIds),
      watchLevels: (viewer, postIds) => this.watchLevels(viewer, postIds),
    });
  }

  async settings(viewer: Pick<Viewer, '_id'>): Promise<NotificationSettings> {
    const row = await findOne(this.states, { _id: viewer._id }, { settings: 1 });
    return { ...DEFAULT_SETTINGS, ...row?.settings };
  }

  /** Changes the given settings and returns all. Existing notifications do not change. */
  async changeSettings(viewer: Viewer, changes: Partial<NotificationSettings>): Promise<NotificationSettings> {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const $set = Object.fromEntries(given.map(([name, value]) => [`settings.${name}`, value]));
    const filter = { _id: viewer._id };
    if (given.length === 0) return this.settings(viewer);
    return this.mongo.transaction(async (tx) => {
      const options = {
        session: tx.session,
        upsert: true,
        returnDocument: 'after',
        projection: { settings: 1 },
      } as const;
      const row = await this.states.findOneAndUpdate(filter, { $set }, options).lean().exec();
      const all = { ...DEFAULT_SETTINGS, ...row?.settings };
      const next = nextDigestAt(all, new Date(), digestOffsetMs(filter._id));
      const change = next === null ? { $unset: { nextDigestAt: 1 as const } } : { $set: { nextDigestAt: next } };
      if (given.some(([name]) => OF_DIGESTS.has(name)))
        await this.states.updateOne(filter, change, { session: tx.session });
      return all;
    });
  }

  /** Turns off the digest, or the mails of one kind, whose notifications still appear in the list. Idempotent. */
  async unsubscribeMails(userId: ObjectId, from: MailSubject): Promise<void> {
    if (from === 'digest') {
      const change = { $set: { 'settings.digest': 'off' }, $unset: { nextDigestAt: 1 as const } };
      await this.states.updateOne({ _id: userId }, change);
      return;
    }
    const field = `settings.${from}`;
    for (const [delivery, others] of [['mail', 'app'] as const, ['mail_and_push', 'push'] as const])
      await this.states.updateOne({ _id: userId, [field]: delivery }, { $set: { [field]: others } });
  }

  /** @throws CodedError `post_not_found` */
  async watch(viewer: Viewer, postId: ObjectId, level: WatchLevel): Promise<void> {
    await this.posts.getReadable(postId, viewer);
    const _id = pairId(viewer._id, postId);
    await this.watches.updateOne({ _id }, { $set: { level }, $setOnInsert: { postId } }, { upsert: true });
  }

  /** Idempotent. Accepts a deleted post. */
  async unwatch(viewer: Viewer, postId: ObjectId): Promise<void> {
    await this.watches.deleteOne({ _id: pairId(viewer._id, postId) });
  }

  /** @throws CodedError `user_not_found`, `follow_self`, `too_many_bells` */
  async enableBell(viewer: Viewer, username: string): Promise<void> {
    const { _id: authorId } = await this.users.getByUsername(username);
    const reader = viewer._id;
    if (reader.equals(authorId)) throw new CodedError('follow_self', 'You cannot have a bell for yourself.');
    const _id = pairId(reader, authorId);
    // Concurrent requests may exceed the limit slightly, which is acceptable.
    if ((await this.bells.countDocuments({ _id: pairsOf(reader) }, { limit: MAX_BELLS })) >= MAX_BELLS) {
      if ((await findOne(this.bells, { _id }, { _id: 1 })) !== null) return;
      throw new CodedError('too_many_bells', `An account has at most ${MAX_BELLS} bells. Remove one first.`);
    }
    await this.bells.updateOne({ _id }, { $setOnInsert: { authorId } }, { upsert: true });
  }

  /** Idempotent. @throws CodedError `user_not_found` */
  async disableBell(viewer: Viewer, username: string): Promise<void> {
    const { _id: authorId } = await this.users.getByUsername(username);
    await this.bells.deleteOne({ _id: pairId(viewer._id, authorId) });
  }

  /** Lists the accounts with a bell of the viewer, latest account first, without deleted accounts. */
  listBells(viewer: Viewer, query: PageQuery): Promise<Page<BellDto>> {
    const read = (_id: PairRange, limit: number) =>
      findMany(this.bells, { _id }, { authorId: 1 }, { sort: { _id: -1 }, limit });
    return this.listPairs('bells', viewer, query, read, async (rows) => {
      const users = await this.users.findAuthors(rows.map(({ authorId }) => authorId));
      return rows.map(({ authorId }) => {
        const user = users.get(authorId.toHexString());
        return user === undefined ? null : { user };
      });
    });
  }

  /** Lists the posts that the viewer watches or mutes, latest post first, without those that the viewer may not read now. */
  listWatches(viewer: Viewer, query: PageQuery): Promise<Page<WatchedPostDto>> {
    const read = (_id: PairRange, limit: number) =>
      findMany(this.watches, { _id }, { postId: 1, level: 1 }, { sort: { _id: -1 }, limit });
    return this.listPairs('watches', viewer, query, read, async (rows) => {
      const ids = rows.map(({ postId }) => postId);
      const cards = new Map((await this.posts.findCards(ids, viewer, canSee)).map((card) => [card.id, card]));
      return rows.map(({ postId, level }) => {
        const post = cards.get(postId.toHexString());
        return post === undefined ? null : { post, level };
      });
    });
  }

  private async bellsAmong(viewer: Viewer, userIds: readonly string[]): Promise<Set<string>> {
    const rows = await findMany(this.bells, { _id: { $in: pairsWith(viewer, userIds) } }, { authorId: 1 });
    return new Set(rows.map(({ authorId }) => authorId.toHexString()));
  }

  private async watchLevels(viewer: Viewer, postIds: readonly string[]): Promise<Map<string, WatchLevel>> {
    const rows = await findMany(this.watches, { _id: { $in: pairsWith(viewer, postIds) } }, { postId: 1, level: 1 });
    return new Map(rows.map(({ postId, level }) => [postId.toHexString(), level]));
  }

  /** Reads a page of the viewer's pairs by the primary key, which contains no time. */
  private listPairs<Row extends { _id: Binary }, T>(
    name: string,
    viewer: Viewer,
    query: PageQuery,
    read: (range: PairRange, count: number) => Promise<Row[]>,
    resolve: (rows: Row[]) => Promise<(T | null)[]>,
  ): Promise<Page<T>> {
    const userId = viewer._id;
    const { $gte, $lte } = pairsOf(userId);
    return this.paginator.list<Row, T>({
      query,
      scope: `${name}:${viewer.id}`,
      positionOf: ({ _id }) => ({ id: secondOf(_id).toHexString() }),
      read: (after, limit) =>
        read(after === null ? { $gte, $lte } : { $gte, $lt: pairId(userId, new ObjectId(after.id)) }, limit),
      resolve,
    });
  }
}

function pairsWith({ _id: userId }: Viewer, others: readonly string[]): Binary[] {
  return others.map((other) => pairId(userId, ObjectId.createFromHexString(other)));
}
