import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { pairsOf, secondOf } from '../common/pair-id.js';
import { findMany, streamMany } from '../platform/mongo/lean-reads.js';
import { Exported } from '../users/exported.decorator.js';
import { UsersService } from '../users/users.service.js';
import { encodeId } from './notification-id.js';
import { LATEST, Notification } from './notification.schema.js';
import { FIRST_SEQ } from './notifications.service.js';
import { PushSubscriptionsService } from './push/push-subscriptions.service.js';
import { Bell, PostWatch } from './subscription.schema.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** The notifications of one account, and what it subscribes to. */
@Injectable()
export class OwnNotificationsService {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly pushSubscriptions: PushSubscriptionsService,
    private readonly users: UsersService,
    @InjectModel(PostWatch.name) private readonly watches: Model<PostWatch>,
    @InjectModel(Bell.name) private readonly bells: Model<Bell>,
    @InjectModel(Notification.name) private readonly notifications: Model<Notification>,
  ) {}

  /** Returns the settings, push subscriptions, watched posts and bells. */
  @Exported('notification-settings.json')
  async settings(userId: ObjectId): Promise<object> {
    const own = { _id: pairsOf(userId) };
    const viewer = { _id: userId };
    const [settings, pushSubscriptions, watches, bells] = await Promise.all([
      this.subscriptions.settings(viewer),
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

  /** Streams all groups, latest first. */
  @Exported('notifications.jsonl')
  async *stream(userId: ObjectId): AsyncGenerator<object, void, undefined> {
    const fields = { kind: 1, ownMark: 1, createdAt: 1, updatedAt: 1 } as const;
    const rows = streamMany(this.notifications, { userId, seq: { $gt: FIRST_SEQ } }, fields, {
      sort: { seq: -1 },
      hint: LATEST,
    });
    for await (const { _id, ...row } of rows) yield { id: encodeId(_id), ...row };
  }
}
