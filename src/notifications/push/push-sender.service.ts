import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Binary, Collection } from 'mongodb';
import { uniqueIds } from '../../common/unique-ids.js';
import type { Viewer } from '../../platform/access/viewer.js';
import type { Topic } from '../../common/topic.js';
import { byIds } from '../../platform/mongo/update-statements.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { Transaction } from '../../platform/mongo/transaction.js';
import { counter } from '../../platform/prometheus/metric.js';
import { OutgoingError, type OutgoingReason } from '../../platform/safe-http/outgoing-error.js';
import { type OutgoingInit, SafeHttpClient } from '../../platform/safe-http/safe-http-client.js';
import { type HandlerContext, TaskHandlers, type TaskOutcome } from '../../platform/work-queue/task-handlers.js';
import { LANES } from '../../platform/work-queue/lanes.js';
import type { CreatePushSubscription, PushSubscriptionDto } from '../dto/push.dto.js';
import { encodeId, targetOf } from '../notification-id.js';
import type { NotificationKind } from '../notification-kinds.js';
import {
  type Notification,
  NotificationSchema,
  type NotificationState,
  NotificationStateSchema,
} from '../notification.schema.js';
import { isPushed } from '../notification-settings.js';
import { FIRST_SEQ, isRead } from '../notifications.service.js';
import { isBanned } from '../../users/standing.js';
import { UserAccountsService } from '../../users/user-accounts.service.js';
import {
  invalidSubscription,
  type PushResponse,
  PushSubscriptionsService,
  type PushTarget,
} from './push-subscriptions.service.js';
import { encryptPush } from './web-push.js';
import type { TaskKey } from '../../platform/mongo/transaction-rows.js';

type Push = { subscription: Binary; notification: Binary; kind: NotificationKind };
export const PUSH: Topic<Push> = { name: 'push' };

type Group = Pick<Notification, '_id' | 'userId' | 'kind'>;

const RETRIES = LANES.push.retrySeconds.length;
/** how long the push service stores a message for an offline device */
const TTL_SECONDS = 86_400;
const TIMEOUT_MS = 5_000;
const [DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS] = [60, 3_600];
/** From this on, a push service is slow: its tasks must not hold the places of others. */
const SLOW_MS = 1_000;
/**
 * The subscription can never receive a message again: unknown (404, 410), of another key of this server (401, 403), or of a private
 * address.
 */
const ENDED = new Set<number | OutgoingReason>([401, 403, 404, 410, 'refused']);

const pushesTotal = counter({
  name: 'opencanvas_pushes_total',
  help: 'Web Push messages: sent, ended (the subscription was deleted), delayed by the push service, scheduled for a retry, dropped',
  labelNames: ['outcome'],
});

/** Sends notifications by Web Push, at least once. One task per subscription commits with the notification. */
@Injectable()
export class PushSenderService implements OnModuleInit {
  private readonly logger = new Logger('WebPush');
  private readonly states: Collection<NotificationState>;
  private readonly notifications: Collection<Notification>;

  constructor(
    mongo: MongoService,
    private readonly handlers: TaskHandlers,
    private readonly subscriptions: PushSubscriptionsService,
    private readonly outgoing: SafeHttpClient,
    private readonly accounts: UserAccountsService,
  ) {
    this.states = mongo.collection(NotificationStateSchema);
    this.notifications = mongo.collection(NotificationSchema);
  }

  onModuleInit(): void {
    this.handlers.register(PUSH, { name: 'push', lane: 'push', run: (context) => this.run(context) });
  }

  /** As `PushSubscriptionsService.create`. @throws CodedError `push_not_configured`, `invalid_input` also for an address that is never called */
  async subscribe(viewer: Viewer, subscription: CreatePushSubscription): Promise<PushSubscriptionDto> {
    this.subscriptions.requireVapid();
    try {
      this.outgoing.requireAllowed(subscription.endpoint);
    } catch (error) {
      throw invalidSubscription('endpoint', (error as OutgoingError).message);
    }
    return this.subscriptions.create(viewer, subscription);
  }

  /**
   * Adds push tasks. Call before writing the groups, because a group that is already unread is not pushed again.
   * @param isUnchanged whether an existing group stays unchanged
   */
  async add(groups: readonly Group[], isUnchanged: (known: Notification) => boolean, tx: Transaction): Promise<void> {
    if (this.subscriptions.vapid === null || groups.length === 0) return;
    const users = uniqueIds(groups.map(({ userId }) => userId));
    const subscriptions = await this.subscriptions.findOf(users, tx);
    const subscribed = uniqueIds(subscriptions.map(({ userId }) => userId));
    if (subscribed.length === 0) return;
    const states = await this.states.find(byIds(subscribed), { session: tx.session }).toArray();
    const stateOf = new Map(states.map((state) => [state._id.toHexString(), state]));
    const chosen = groups.filter(({ userId, kind }) => isPushed(stateOf.get(userId.toHexString())?.settings?.[kind]));
    const before = await this.notifications
      .find(byIds(chosen.map(({ _id }) => _id)), { session: tx.session })
      .toArray();
    const pushed = new Set(
      before
        .filter((row) => isUnchanged(row) || !isRead(row, stateOf.get(row.userId.toHexString())?.readSeq ?? FIRST_SEQ))
        .map(({ _id }) => _id.toString('hex')),
    );
    const targets = new Map<Push, PushTarget>();
    for (const { _id: notification, userId, kind } of chosen) {
      if (pushed.has(notification.toString('hex'))) continue;
      for (const target of subscriptions.filter((one) => one.userId.equals(userId)))
        targets.set({ subscription: target._id, notification, kind }, target);
    }
    const keysOf = (push: Push): TaskKey[] => {
      const { userId, endpoint } = targets.get(push)!;
      const cause = targetOf(push.notification).toHexString();
      return [`account:${userId.toHexString()}`, `host:${new URL(endpoint).host}`, `cause:${cause}`];
    };
    for (const lane of ['push', 'pushSlow'] as const) {
      const isSlow = lane === 'pushSlow';
      const pushes = [...targets].flatMap(([push, { slowSince }]) =>
        (slowSince !== undefined) === isSlow ? [push] : [],
      );
      tx.addTasks(PUSH, pushes, { lane, keysOf });
    }
  }

  private async run(context: HandlerContext<Push>): Promise<TaskOutcome> {
    const outcome = await this.send(context);
    if (outcome === 'slow') return outcome;
    pushesTotal.inc({ outcome: outcome instanceof Date ? 'delayed' : outcome });
    return outcome instanceof Date ? outcome : undefined;
  }

  /** @returns the outcome, or the time of the next attempt. @throws to make the task retry */
  private async send({ id: taskId, attempt, lane, payload }: HandlerContext<Push>): Promise<string | Date> {
    if (Date.now() - taskId.getTimestamp().getTime() > TTL_SECONDS * 1_000) return 'dropped';
    const target = await this.subscriptions.find(payload.subscription);
    const { vapid } = this.subscriptions;
    if (target === null || vapid === null) return 'dropped';
    const reader = await this.accounts.actor(target.userId);
    if (reader === null || isBanned(reader)) return 'dropped';
    if (target.slowSince !== undefined && lane === 'push') return 'slow';
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
    const init: OutgoingInit = { method: 'POST', redirect: 'manual', headers, body, signal, keepBytes: 0 };
    const startedAt = performance.now();
    const answer = await this.outgoing.fetch(target.endpoint, init).catch((error: OutgoingError) => error);
    const isSlow = performance.now() - startedAt > SLOW_MS;
    const status = answer instanceof OutgoingError ? answer.reason : answer.status;
    if (ENDED.has(status)) return this.end(target);
    const isAccepted = answer instanceof Response && (answer.ok || answer.status === 429);
    const isTransient = answer instanceof OutgoingError || answer.status >= 500;
    const inTime = isAccepted || isTransient ? 'accepted' : 'refused';
    const response: PushResponse = answer instanceof OutgoingError ? 'none' : isSlow ? 'slow' : inTime;
    if (await this.subscriptions.note(target, response)) return this.end(target);
    if (isAccepted) return answer.ok ? 'sent' : retryAt(answer);
    if (isTransient && attempt <= RETRIES) {
      pushesTotal.inc({ outcome: 'retried' });
      throw new Error(`the push service responded: ${status}`);
    }
    this.logger.warn(`a push message was dropped after attempt ${attempt}: ${status}`);
    return 'dropped';
  }

  private async end({ _id }: PushTarget): Promise<string> {
    await this.subscriptions.deleteExpired(_id);
    return 'ended';
  }
}

function retryAt({ headers }: Response): Date {
  const seconds = Number(headers.get('retry-after') ?? DEFAULT_WAIT_SECONDS);
  const waited = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), MAX_WAIT_SECONDS) : DEFAULT_WAIT_SECONDS;
  return new Date(Date.now() + waited * 1_000);
}
