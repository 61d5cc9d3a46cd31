import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Binary } from 'mongodb';
import type { Model } from 'mongoose';
import { AccountMails } from '../auth/account-mails.js';
import { CredentialsService } from '../auth/credentials.service.js';
import { pairsOf, secondOf } from '../common/pair-id.js';
import { findOne, type Projected } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { counter } from '../platform/prometheus/metric.js';
import { OutgoingError } from '../platform/safe-http/outgoing-error.js';
import { SafeHttpClient } from '../platform/safe-http/safe-http-client.js';
import { type HandlerContext, TaskHandlers, type TaskOutcome } from '../platform/work-queue/task-handlers.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { mayReceive } from './webhook-receivers.service.js';
import { type DisabledReason, MAX_ATTEMPTS, MAX_RESPONSE_BYTES } from './webhook-events.js';
import { signedHeaders } from './webhook-secrets.js';
import { type DeliveryAttempt, Webhook, WEBHOOK_DELIVERIES, WebhookDelivery } from './webhook.schema.js';
import { WEBHOOK_DELETED, WEBHOOK_DELIVERY } from './webhooks.events.js';
import { WebhooksService } from './webhooks.service.js';

/** delays after each failure, plus jitter */
export const RETRY_SECONDS = [5, 60, 600, 3_600, 21_600, 86_400];
const JITTER = 0.1;
const MAX_RETRY_AFTER_SECONDS = 86_400;
/** From this on, a receiver is slow: its deliveries must not hold the places of others. */
const SLOW_MS = 1_000;
/** A webhook without a success for this time is disabled. */
const MAX_FAILING_MS = 3 * 86_400_000;
const GONE = 410;

const TARGET = { userId: 1, url: 1, isSiteWide: 1, isEnabled: 1, sealed: 1, failingSince: 1, isSlow: 1 } as const;
type Target = Projected<Webhook, typeof TARGET>;
const WAITING = { type: 1, data: 1, failures: 1, createdAt: 1, webhookId: 1 } as const;
type Waiting = Projected<WebhookDelivery, typeof WAITING>;
type Attempt = DeliveryAttempt & { retryAfterSeconds: number };

const deliveriesTotal = counter({
  name: 'opencanvas_webhook_deliveries_total',
  help: 'Attempts to deliver events to webhooks: delivered, retried, failed (no further attempt), dropped (webhook disabled)',
  labelNames: ['outcome'],
});

/** Sends waiting deliveries, each at least once. A process that dies after a response sends the message again, under the same id. */
@Injectable()
export class WebhookSenderService implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
    private readonly own: WebhooksService,
    private readonly outgoing: SafeHttpClient,
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly mails: AccountMails,
    @InjectModel(Webhook.name) private readonly webhooks: Model<Webhook>,
    @InjectModel(WebhookDelivery.name) private readonly deliveries: Model<WebhookDelivery>,
  ) {}

  onModuleInit(): void {
    const run = (context: HandlerContext<Binary>) => this.run(context);
    this.handlers.register(WEBHOOK_DELIVERY, { name: 'webhooks', lane: 'webhook', run });
    const clean = ({ payload, deleteInBatches }: HandlerContext) =>
      deleteInBatches(WEBHOOK_DELIVERIES, { _id: pairsOf(payload) });
    this.handlers.register(WEBHOOK_DELETED, { name: 'webhooks: deliveries', run: clean });
  }

  private async run({ payload: _id, lane, traceparent }: HandlerContext<Binary>): Promise<TaskOutcome> {
    const delivery = await findOne(this.deliveries, { _id, state: 'waiting' }, WAITING);
    if (delivery === null) return;
    const target = await findOne(this.webhooks, { _id: delivery.webhookId }, TARGET);
    const owner = target && (await this.accounts.actor(target.userId));
    if (target === null || !target.isEnabled || !mayReceive(owner, target)) {
      deliveriesTotal.inc({ outcome: 'dropped' });
      await this.deliveries.updateOne({ _id }, { $set: { state: 'failed', nextAt: null } });
      return;
    }
    if (target.isSlow && lane === 'webhook') return 'slow';
    return this.store(target, delivery, await this.attempt(target, delivery, traceparent));
  }

  private async attempt(
    target: Target,
    { _id, type, data, createdAt }: Waiting,
    traceparent: string | undefined,
  ): Promise<Attempt> {
    const at = new Date();
    const startedAt = performance.now();
    const none = { at, status: null, response: '', retryAfterSeconds: 0 };
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    const secrets = this.own.secretsOf(target);
    if (secrets === null) return { ...none, error: 'secret_unavailable', durationMs: 0 };
    const id = secondOf(_id).toHexString();
    const body = JSON.stringify({ id, type, createdAt, data });
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'OpenCanvas-Webhooks',
      ...signedHeaders(secrets, id, body, at.getTime()),
      ...(traceparent !== undefined && { traceparent }),
    };
    try {
      this.outgoing.requireAllowed(target.url, 'https');
      const init = {
        method: 'POST',
        redirect: 'manual',
        headers,
        body,
        keepBytes: MAX_RESPONSE_BYTES,
      } as const;
      const response = await this.outgoing.fetch(target.url, init);
      const { status } = response;
      const retryAfter = Number(response.headers.get('retry-after'));
      const retryAfterSeconds = Number.isFinite(retryAfter) ? Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS) : 0;
      return { at, status, error: null, durationMs: durationMs(), response: await response.text(), retryAfterSeconds };
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      return { ...none, error: error.reason, durationMs: durationMs() };
    }
  }

  /** Stores an attempt. @returns the time of the next one, if any */
  private async store(target: Target, delivery: Waiting, attempted: Attempt): Promise<Date | undefined> {
    const { retryAfterSeconds, ...attempt } = attempted;
    const { status } = attempt;
    const isDelivered = status !== null && status >= 200 && status < 300;
    const failures = isDelivered ? 0 : delivery.failures + 1;
    const delaySeconds = isDelivered || status === GONE ? undefined : RETRY_SECONDS[failures - 1];
    const nextAt =
      delaySeconds === undefined
        ? null
        : new Date(Date.now() + 1_000 * Math.max(retryAfterSeconds, delaySeconds * (1 + JITTER * Math.random())));
    const state = isDelivered ? 'delivered' : nextAt === null ? 'failed' : 'waiting';
    const change = {
      $set: { state, failures, nextAt },
      $push: { attempts: { $each: [attempt], $slice: -MAX_ATTEMPTS } },
    } as const;
    await this.deliveries.updateOne({ _id: delivery._id }, change);
    deliveriesTotal.inc({ outcome: state === 'waiting' ? 'retried' : state });
    await this.note(target, attempt, isDelivered);
    return nextAt ?? undefined;
  }

  /** Stores how the receiver responds, if that has changed, and disables a webhook after 410 or three days of failures. */
  private async note(target: Target, { at, status, durationMs }: DeliveryAttempt, isDelivered: boolean): Promise<void> {
    const { _id, failingSince } = target;
    const isSlow = durationMs > SLOW_MS;
    if (isSlow !== target.isSlow) await this.webhooks.updateOne({ _id }, { $set: { isSlow } });
    if (isDelivered) {
      if (failingSince !== null) await this.webhooks.updateOne({ _id }, { $set: { failingSince: null } });
      return;
    }
    if (failingSince === null)
      await this.webhooks.updateOne({ _id, failingSince: null }, { $set: { failingSince: at } });
    if (status === GONE) return this.disable(target, 'gone');
    if (failingSince !== null && at.getTime() - failingSince.getTime() > MAX_FAILING_MS)
      return this.disable(target, 'failures', failingSince);
  }

  private async disable({ _id, userId }: Target, reason: DisabledReason, failingSince?: Date): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      if (!(await this.own.disable(_id, reason, failingSince, tx))) return;
      const credential = await this.credentials.findById(userId, tx);
      if (credential !== null) await this.mails.send('webhookDisabled', credential.email, tx);
    });
  }
}
