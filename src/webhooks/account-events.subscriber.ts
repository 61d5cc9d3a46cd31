import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { COLLECTIONS_CHANGED } from '../collections/collections.events.js';
import type { Topic } from '../common/topic.js';
import { uniqueIds } from '../common/unique-ids.js';
import { EXPORT_READY } from '../exports/exports.events.js';
import { IMPORT_DONE } from '../imports/imports.events.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type HandlerContext, PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { SIGN_UP_ADDED } from '../registration/registration.events.js';
import { CASE_OPENED } from '../reports/reports.events.js';
import { RULES_MATCHED } from '../rules/rules.events.js';
import { ACCOUNT_CREATED, ACCOUNT_ENDED, PROFILE_CHANGED } from '../users/users.events.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import type { WebhookData, WebhookEvent } from './webhook-events.js';
import { WebhookReceiversService } from './webhook-receivers.service.js';
import { WebhooksService } from './webhooks.service.js';

/** @field ownerId of the account that the event is about; absent: an event of the site */
type Message = { data: WebhookData; id?: ObjectId; ownerId?: ObjectId };

/** Adds deliveries for what happens to accounts and in moderation, in the transactions of these events. */
@Injectable()
export class AccountEventsSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
    private readonly log: ModerationLogService,
    private readonly own: WebhooksService,
    private readonly receivers: WebhookReceiversService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  onModuleInit(): void {
    this.onHook(PROFILE_CHANGED, 'user.updated', ({ _id, username, updatedAt }) => [
      { data: { id: _id.toHexString(), username, version: updatedAt.getTime() }, ownerId: _id },
    ]);
    this.onHook(COLLECTIONS_CHANGED, 'collection.updated', (changed) =>
      changed.map(({ _id, ownerId }) => ({ data: { id: _id.toHexString() }, ownerId })),
    );
    this.onHook(EXPORT_READY, 'export.ready', ({ _id, userId: ownerId }) => [
      { data: { id: _id.toHexString() }, ownerId },
    ]);
    this.onHook(IMPORT_DONE, 'import.done', ({ _id, userId: ownerId, state, counts }) => [
      { data: { id: _id.toHexString(), state, counts: { ...counts } }, ownerId },
    ]);
    this.onHook(ACCOUNT_CREATED, 'user.created', ({ _id, username }) => [
      { data: { id: _id.toHexString(), username } },
    ]);
    this.onHook(SIGN_UP_ADDED, 'registration.pending', (id) => [{ data: { id: id.toHexString() } }]);
    this.onHook(CASE_OPENED, 'report.opened', ({ targetKind, targetId }) => [
      { data: { id: targetId.toHexString(), targetKind } },
    ]);
    this.onHook(RULES_MATCHED, 'rule.hit', ({ ruleIds, targetKind, targetId }) =>
      ruleIds.map((id) => ({ data: { id, targetKind, ...(targetId && { targetId: targetId.toHexString() }) } })),
    );
    this.log.onRecord(({ _id, targetKind, targetId }, tx) =>
      this.add('action.taken', [{ data: { id: _id.toHexString(), targetKind, targetId: targetId.toHexString() } }], tx),
    );
    const name = 'webhooks';
    const order = PHASE.first;
    const end = async ({ id, payload, lane }: HandlerContext) => {
      await this.own.deleteAllOf(payload);
      if (lane !== 'foreground' || !(await this.receivers.isRequested('user.ended'))) return;
      const message = { id, data: { id: payload.toHexString() } };
      await this.mongo.transaction((tx) => this.add('user.ended', [message], tx));
    };
    this.handlers.register(ACCOUNT_ENDED, { name, lane: 'both', order, run: end });
  }

  private onHook<P>(topic: Topic<P>, type: WebhookEvent, messagesOf: (payload: P) => Message[]): void {
    this.mongo.hook(topic, (payload, tx) => this.add(type, messagesOf(payload), tx));
  }

  private async add(type: WebhookEvent, messages: Message[], tx: Transaction): Promise<void> {
    if (!(await this.receivers.isRequested(type))) return;
    const ownersOf = ({ ownerId }: Message): ObjectId[] => (ownerId === undefined ? [] : [ownerId]);
    const receivers = await this.receivers.find(uniqueIds(messages.flatMap(ownersOf)), type, tx);
    const added = messages.map((message) => {
      const { data, ownerId, id = new ObjectId() } = message;
      return { id, type, data, receivers: receivers.of(ownersOf(message), ownerId === undefined) };
    });
    await this.deliveries.add(added, tx);
  }
}
