import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Binary, ClientSession, Collection } from 'mongodb';
import { uniqueIds } from '../../common/unique-ids.js';
import type { Topic } from '../../platform/events/topic.js';
import { byIds } from '../../platform/mongo/batch-commands.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { counter } from '../../platform/prometheus/metric.js';
import { OutgoingError } from '../../platform/safe-http/outgoing-error.js';
import { SafeHttpClient } from '../../platform/safe-http/safe-http-client.js';
import { type HandlerContext, TaskHandlers } from '../../platform/work-queue/task-handlers.js';
import { LANES } from '../../platform/work-queue/task.schema.js';
import { WorkQueue } from '../../platform/work-queue/work-queue.js';
import { encodeId, type NotificationKind } from '../notification-id.js';
import {
  type Notification,
  NotificationSchema,
  type NotificationState,
  NotificationStateSchema,
} from '../notification.schema.js';
import { isPushed } from '../notification-settings.js';
import { FIRST_SEQ, isRead } from '../notifications.service.js';
import { type PushSubscription, PushSubscriptionSchema } from './push-subscription.schema.js';
import { isBanned } from '../../users/standing.js';
import { UserAccountsService } from '../../users/user-accounts.service.js';
import { PushSubscriptions } from './push-subscriptions.service.js';
import { encryptPush } from './web-push.js';

type Push = { subscription: Binary; notification: Binary; kind: NotificationKind };
export const PUSH: Topic<Push> = { name: 'push' };

type Group = Pick<Notification, '_id' | 'userId' | 'kind'>;

const RETRIES = LANES.push.retrySeconds.length;
/** how long the push service stores a message for an offline device */
const TTL_SECONDS = 86_400;
const TIMEOUT_MS = 5_000;
const [DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS] = [60, 3_600];
const ENDED = [404, 410];

const pushesTotal = counter({
  name: 'opencanvas_pushes_total',
  help: 'Web Push messages: sent, ended (the subscription was deleted), delayed by the push service, scheduled for a retry, dropped',
  labelNames: ['outcome'],
});

/** Sends notifications by Web Push, at least once. One task per subscription commits with the notification. */
@Injectable()
export class PushSender implements OnModuleInit {
  private readonly logger = new Logger('WebPush');
  private readonly rows: Collection<PushSubscription>;
  private readonly states: Collection<NotificationState>;
  private readonly notifications: Collection<Notification>;

  constructor(
    mongo: MongoService,
    private readonly tasks: WorkQueue,
    private readonly handlers: TaskHandlers,
    private readonly subscriptions: PushSubscriptions,
    private readonly outgoing: SafeHttpClient,
    private readonly accounts: UserAccountsService,
  ) {
    this.rows = mongo.collection(PushSubscriptionSchema);
    this.states = mongo.collection(NotificationStateSchema);
    this.notifications = mongo.collection(NotificationSchema);
  }

  onModuleInit(): void {
    this.handlers.register(PUSH, { name: 'push', lane: 'push', run: (context) => this.run(context) });
  }

  /**
   * Adds push tasks. Call before writing the groups, because a group that is already unread is not pushed again.
   * @param isUnchanged whether an existing group stays unchanged
   */
  async add(
    groups: readonly Group[],
    isUnchanged: (known: Notification) => boolean,
    session: ClientSession,
  ): Promise<void> {
    if (this.subscriptions.vapid === null || groups.length === 0) return;
    const users = uniqueIds(groups.map(({ userId }) => userId));
    const fields = { session, projection: { userId: 1 } };
    const subscriptions = await this.rows.find({ userId: { $in: users } }, fields).toArray();
    const subscribed = uniqueIds(subscriptions.map(({ userId }) => userId));
    if (subscribed.length === 0) return;
    const states = await this.states.find(byIds(subscribed), { session }).toArray();
    const stateOf = new Map(states.map((state) => [state._id.toHexString(), state]));
    const chosen = groups.filter(({ userId, kind }) => isPushed(stateOf.get(userId.toHexString())?.settings?.[kind]));
    const before = await this.notifications.find(byIds(chosen.map(({ _id }) => _id)), { session }).toArray();
    const pushed = new Set(
      before
        .filter((row) => isUnchanged(row) || !isRead(row, stateOf.get(row.userId.toHexString())?.readSeq ?? FIRST_SEQ))
        .map(({ _id }) => _id.toString('hex')),
    );
    const pushes = chosen.flatMap(({ _id: notification, userId, kind }) =>
      pushed.has(notification.toString('hex'))
        ? []
        : subscriptions
            .filter((one) => one.userId.equals(userId))
            .map(({ _id: subscription }): Push => ({ subscription, notification, kind })),
    );
    await this.tasks.addMany(session, PUSH, pushes);
  }

  private async run(context: HandlerContext<Push>): Promise<Date | undefined> {
    const outcome = await this.send(context);
    pushesTotal.inc({ outcome: outcome instanceof Date ? 'delayed' : outcome });
    return outcome instanceof Date ? outcome : undefined;
  }

  /** @returns the outcome, or the time of the next attempt. @throws to make the task retry */
  private async send({ id: taskId, attempt, payload }: HandlerContext<Push>): Promise<string | Date> {
    if (Date.now() - taskId.getTimestamp().getTime() > TTL_SECONDS * 1_000) return 'dropped';
    const target = await this.subscriptions.find(payload.subscription);
    const { vapid } = this.subscriptions;
    if (target === null || vapid === null) return 'dropped';
    const reader = await this.accounts.actor(target.userId);
    if (reader === null || isBanned(reader)) return 'dropped';
    const id = encodeId(payload.notification);
    const headers = {
      authorization: vapid.authorizationFor(target.endpoint),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(TTL_SECONDS),
      // A later push with the same topic replaces an undelivered one.
      topic: createHash('sha256').update(id).digest('base64url').slice(0, 32),
    };
    const body = new Uint8Array(encryptPush(JSON.stringify({ kind: payload.kind, id }), target.keys));
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init: RequestInit = { method: 'POST', redirect: 'manual', headers, body, signal };
    const answer = await this.outgoing.fetch(target.endpoint, init).catch((error: OutgoingError) => error);
    const status = answer instanceof OutgoingError ? answer.reason : answer.status;
    if (answer instanceof Response && answer.ok) return 'sent';
    if (answer instanceof Response && answer.status === 429) return retryAt(answer);
    // A private address can never become a push service, so the subscription is deleted.
    if (status === 'refused' || ENDED.includes(status as number)) {
      await this.subscriptions.deleteExpired(payload.subscription);
      return 'ended';
    }
    const isTransient = typeof status === 'string' || status >= 500;
    if (isTransient && attempt <= RETRIES) {
      pushesTotal.inc({ outcome: 'retried' });
      throw new Error(`the push service responded: ${status}`);
    }
    this.logger.warn(`a push message was dropped after attempt ${attempt}: ${status}`);
    return 'dropped';
  }
}

function retryAt({ headers }: Response): Date {
  const seconds = Number(headers.get('retry-after') ?? DEFAULT_WAIT_SECONDS);
  const waited = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MAX_WAIT_SECONDS) : DEFAULT_WAIT_SECONDS;
  return new Date(Date.now() + waited * 1_000);
}
