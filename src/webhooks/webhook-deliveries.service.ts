import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { pairId, pairsOf, secondOf } from '../common/pair-id.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { DeliveriesQuery, WebhookDeliveryDto } from './dto/webhook-delivery.dto.js';
import type { MessageType, WebhookData } from './webhook-events.js';
import { RECEIVER, type Receiver } from './webhook-receivers.service.js';
import { DELIVERY_FIELDS, type DeliveryRow, toDelivery } from './webhook-view.js';
import { Webhook, WebhookDelivery } from './webhook.schema.js';
import { WEBHOOK_DELIVERY } from './webhooks.events.js';
import { WebhooksService } from './webhooks.service.js';

const TTL_MS = 30 * 86_400_000;

export type Message = { id: ObjectId; type: MessageType; data: WebhookData };

/** Deliveries of events to webhooks: rows and tasks in the transaction of the event, and what the owner sees of them. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly own: WebhooksService,
    private readonly paginator: Paginator,
    @InjectModel(Webhook.name) private readonly webhooks: Model<Webhook>,
    @InjectModel(WebhookDelivery.name) private readonly deliveries: Model<WebhookDelivery>,
  ) {}

  /** Adds each message for each of its receivers. Idempotent by the ids of message and webhook. */
  async add(messages: readonly (Message & { receivers: readonly Receiver[] })[], tx: Transaction): Promise<void> {
    const createdAt = new Date();
    const times = { nextAt: null, createdAt, expiresAt: new Date(createdAt.getTime() + TTL_MS) };
    const rows = messages.flatMap(({ id, type, data, receivers }) =>
      receivers.map(({ _id: webhookId }): WebhookDelivery => {
        const about = { _id: pairId(webhookId, id), webhookId, type, data };
        return { ...about, state: 'waiting', failures: 0, attempts: [], ...times };
      }),
    );
    const receivers = messages.flatMap((message) => message.receivers);
    const added = await tx.insertMissing(this.deliveries.collection, rows);
    for (const at of added) this.addTask(rows[at]!, receivers[at]!, tx);
  }

  /** Sends a message that tests a webhook. @throws CodedError `webhook_not_found`, `webhook_disabled` */
  async ping(viewer: Viewer, webhookId: ObjectId): Promise<WebhookDeliveryDto> {
    const id = new ObjectId();
    await this.mongo.transaction(async (tx) => {
      const receiver = await this.enabledReceiver(viewer, webhookId, tx);
      await this.add([{ id, type: 'ping', data: { id: webhookId.toHexString() }, receivers: [receiver] }], tx);
    });
    return toDelivery(await this.get(webhookId, id));
  }

  /** Lists deliveries, latest event first. @throws CodedError `webhook_not_found` */
  async list(viewer: Viewer, webhookId: ObjectId, query: DeliveriesQuery): Promise<Page<WebhookDeliveryDto>> {
    await this.own.get(viewer, webhookId);
    const { state } = query;
    const { $gte, $lte } = pairsOf(webhookId);
    return this.paginator.list<DeliveryRow, WebhookDeliveryDto>({
      query,
      scope: `webhook-deliveries:${webhookId.toHexString()}:${state ?? ''}`,
      positionOf: ({ _id }) => ({ id: secondOf(_id).toHexString() }),
      read: (after, limit) => {
        const end = after === null ? { $lte } : { $lt: pairId(webhookId, ObjectId.createFromHexString(after.id)) };
        const filter = { _id: { $gte, ...end }, ...(state && { webhookId, state }) };
        return findMany(this.deliveries, filter, DELIVERY_FIELDS, { sort: { _id: -1 }, limit });
      },
      resolve: async (rows) => rows.map(toDelivery),
    });
  }

  /**
   * Sends a message again, under its id. A delivery that waits stays unchanged.
   * @throws CodedError `webhook_not_found`, `webhook_disabled`, `webhook_delivery_not_found`
   */
  async redeliver(viewer: Viewer, webhookId: ObjectId, id: ObjectId): Promise<WebhookDeliveryDto> {
    await this.mongo.transaction(async (tx) => {
      const receiver = await this.enabledReceiver(viewer, webhookId, tx);
      const row = await this.get(webhookId, id, tx);
      if (row.state === 'waiting') return;
      const waiting = { state: 'waiting', failures: 0, nextAt: null } as const;
      await this.deliveries.updateOne({ _id: row._id }, { $set: waiting }, { session: tx.session });
      this.addTask(row, receiver, tx);
    });
    return toDelivery(await this.get(webhookId, id));
  }

  private async get(webhookId: ObjectId, id: ObjectId, tx?: Transaction): Promise<DeliveryRow> {
    const filter = { _id: pairId(webhookId, id) };
    const row = await findOne(this.deliveries, filter, DELIVERY_FIELDS, { session: tx?.session });
    if (row === null) throw new CodedError('webhook_delivery_not_found', 'Delivery not found.');
    return row;
  }

  private async enabledReceiver(viewer: Viewer, _id: ObjectId, tx: Transaction): Promise<Receiver> {
    await this.own.get(viewer, _id, tx);
    const receiver = await findOne(this.webhooks, { _id, isEnabled: true }, RECEIVER, { session: tx.session });
    if (receiver === null) throw new CodedError('webhook_disabled', 'The webhook is disabled. Enable it first.');
    return receiver;
  }

  private addTask({ _id }: Pick<WebhookDelivery, '_id'>, { userId, url, isSlow }: Receiver, tx: Transaction): void {
    const host = new URL(url).host;
    tx.addTask(WEBHOOK_DELIVERY, _id, {
      lane: isSlow ? 'webhookSlow' : 'webhook',
      keysOf: () => [`account:${userId.toHexString()}`, `host:${host}`],
    });
  }
}
