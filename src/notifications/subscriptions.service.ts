import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { pairId, pairsOf, secondOf } from '../common/pair-id.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { findMany, findOne, streamMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostsService } from '../posts/posts.service.js';
import { UsersService } from '../users/users.service.js';
import { nextDigestAt } from './mails/digest-time.js';
import { encodeId } from './notification-id.js';
import { DEFAULT_SETTINGS, type NotificationSettings } from './notification-settings.js';
import { LATEST, Notification, NotificationState } from './notification.schema.js';
import { PushSubscriptions } from './push/push-subscriptions.service.js';
import type { MailSubject } from './mails/unsubscribe-links.js';
import { Bell, PostWatch, type WatchLevel } from './subscription.schema.js';

const MAX_BELLS = 200;
const OF_DIGESTS = new Set(['digest', 'digestHour', 'timeZone']);

/** Notification settings, watched posts and bells of accounts. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly pushSubscriptions: PushSubscriptions,
    @InjectModel(NotificationState.name) private readonly states: Model<NotificationState>,
    @InjectModel(PostWatch.name) private readonly watches: Model<PostWatch>,
    @InjectModel(Bell.name) private readonly bells: Model<Bell>,
    @InjectModel(Notification.name) private readonly notifications: Model<Notification>,
  ) {}

  async settings(viewer: Pick<Viewer, 'id'>): Promise<NotificationSettings> {
    const row = await findOne(this.states, { _id: ObjectId.createFromHexString(viewer.id) }, { settings: 1 });
    return { ...DEFAULT_SETTINGS, ...row?.settings };
  }

  /** Changes the given settings and returns all. Existing notifications do not change. */
  async changeSettings(viewer: Viewer, changes: Partial<NotificationSettings>): Promise<NotificationSettings> {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const $set = Object.fromEntries(given.map(([name, value]) => [`settings.${name}`, value]));
    const filter = { _id: ObjectId.createFromHexString(viewer.id) };
    if (given.length === 0) return this.settings(viewer);
    return this.mongo.transaction(async (session) => {
      const options = { session, upsert: true, returnDocument: 'after', projection: { settings: 1 } } as const;
      const row = await this.states.findOneAndUpdate(filter, { $set }, options).lean().exec();
      const all = { ...DEFAULT_SETTINGS, ...row?.settings };
      const next = nextDigestAt(all, new Date());
      const change = next === null ? { $unset: { nextDigestAt: 1 as const } } : { $set: { nextDigestAt: next } };
      if (given.some(([name]) => OF_DIGESTS.has(name))) await this.states.updateOne(filter, change, { session });
      return all;
    });
  }

  /** Turns off the digest, or the mails of one kind, whose notifications still appear in the list. Idempotent. */
  async unsubscribeMails(userId: ObjectId, from: MailSubject): Promise<void> {
    const [filter, $set] =
      from === 'digest'
        ? [{}, { 'settings.digest': 'off' }]
        : [{ [`settings.${from}`]: 'mail' }, { [`settings.${from}`]: 'app' }];
    const $unset = from === 'digest' ? { $unset: { nextDigestAt: 1 as const } } : {};
    await this.states.updateOne({ _id: userId, ...filter }, { $set, ...$unset });
  }

  /** @throws CodedError `post_not_found` */
  async watch(viewer: Viewer, postId: ObjectId, level: WatchLevel): Promise<void> {
    await this.posts.getReadable(postId, viewer);
    const _id = pairId(ObjectId.createFromHexString(viewer.id), postId);
    await this.watches.updateOne({ _id }, { $set: { level }, $setOnInsert: { postId } }, { upsert: true });
  }

  /** Idempotent. Accepts a deleted post. */
  async unwatch(viewer: Viewer, postId: ObjectId): Promise<void> {
    await this.watches.deleteOne({ _id: pairId(ObjectId.createFromHexString(viewer.id), postId) });
  }

  /** @throws CodedError `user_not_found`, `follow_self`, `too_many_bells` */
  async enableBell(viewer: Viewer, username: string): Promise<void> {
    const { _id: authorId } = await this.users.getByUsername(username);
    const reader = ObjectId.createFromHexString(viewer.id);
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
    await this.bells.deleteOne({ _id: pairId(ObjectId.createFromHexString(viewer.id), authorId) });
  }

  /** Returns the settings, push subscriptions, watched posts and bells of an account, for its export. */
  async ownSubscriptions(userId: ObjectId): Promise<object> {
    const own = { _id: pairsOf(userId) };
    const viewer = { id: userId.toHexString() };
    const [settings, pushSubscriptions, watches, bells] = await Promise.all([
      this.settings(viewer),
      this.pushSubscriptions.list(viewer),
      findMany(this.watches, own, { postId: 1, level: 1 }),
      findMany(this.bells, own, { _id: 1 }),
    ]);
    const authors = await this.users.findUsers(bells.map(({ _id }) => secondOf(_id)));
    return {
      settings,
      pushSubscriptions: pushSubscriptions.map(({ host, createdAt }) => ({ host, createdAt })),
      posts: watches.map(({ postId, level }) => ({ id: postId, level })),
      bells: authors.map(({ username }) => username),
    };
  }

  /** Streams all groups of an account, latest first, for its export. */
  async *streamOwn(userId: ObjectId): AsyncGenerator<object, void, undefined> {
    const fields = { kind: 1, ownMark: 1, createdAt: 1, updatedAt: 1 } as const;
    const rows = streamMany(this.notifications, { userId }, fields, { sort: { seq: -1 }, hint: LATEST });
    for await (const { _id, ...row } of rows) yield { id: encodeId(_id), ...row };
  }
}
