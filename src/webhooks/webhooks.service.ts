import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { Encryptor } from '../common/encryptor.js';
import { AppConfig } from '../config/app-config.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { requireVersion } from '../platform/http/if-match.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { findMany, findOne, streamMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { OutgoingError } from '../platform/safe-http/outgoing-error.js';
import { SafeHttpClient } from '../platform/safe-http/safe-http-client.js';
import { Exported } from '../users/exported.decorator.js';
import type { CreateWebhook, NewWebhookDto, UpdateWebhook, WebhookDto } from './dto/webhook.dto.js';
import { type DisabledReason, isEventOf, MAX_SITE_WIDE, MAX_WEBHOOKS, type WebhookEvent } from './webhook-events.js';
import { WebhookReceiversService } from './webhook-receivers.service.js';
import { newSecrets, type WebhookSecrets, WITHOUT_SECRET } from './webhook-secrets.js';
import { locationOf, toWebhook, WEBHOOK_FIELDS, type WebhookRow } from './webhook-view.js';
import { Webhook } from './webhook.schema.js';
import { WEBHOOK_DELETED } from './webhooks.events.js';

export type NewWebhook = { row: WebhookRow; secret: string };

/** Creates, changes and deletes webhooks, for their owner only. */
@Injectable()
export class WebhooksService {
  private readonly encryptor: Encryptor;

  constructor(
    private readonly mongo: MongoService,
    private readonly outgoing: SafeHttpClient,
    private readonly receivers: WebhookReceiversService,
    @InjectModel(Webhook.name) private readonly webhooks: Model<Webhook>,
    { auth }: AppConfig,
  ) {
    this.encryptor = new Encryptor(auth.encryptionKeys, 'webhook');
  }

  /** Returns the oldest webhook first. */
  @Exported('webhooks.json')
  async list(userId: ObjectId): Promise<WebhookDto[]> {
    const options = { sort: { _id: 1 }, limit: MAX_WEBHOOKS + MAX_SITE_WIDE } as const;
    return (await findMany(this.webhooks, { userId }, WEBHOOK_FIELDS, options)).map(toWebhook);
  }

  /** @throws CodedError `webhook_not_found`, `forbidden` for a site-wide one of an account that is no longer an admin */
  async get(viewer: Viewer, _id: ObjectId, tx?: Transaction): Promise<WebhookRow> {
    const own = { _id, userId: viewer._id };
    const row = await findOne(this.webhooks, own, WEBHOOK_FIELDS, { session: tx?.session });
    if (row === null) throw notFound();
    requireMayOwn(viewer, row.isSiteWide);
    return row;
  }

  /** @throws CodedError `invalid_webhook_url` for an address that is never called, `invalid_webhook_events`, `forbidden`, `too_many_webhooks` */
  async create({ viewer, idempotencyKey }: WriteRequest, draft: CreateWebhook): Promise<NewWebhookDto> {
    const { url, events, description = '', isSiteWide = false } = draft;
    const { _id: userId } = viewer;
    requireMayOwn(viewer, isSiteWide);
    requireEventsOf(isSiteWide, events);
    this.requireAllowed(url);
    const now = new Date();
    const secrets = newSecrets(null, now.getTime());
    const state = { isEnabled: true, disabledReason: null, failingSince: null, isSlow: false, version: 1 };
    const text = { url, events, isSiteWide, description, sealed: this.encrypt(secrets) };
    const row: Webhook = { _id: new ObjectId(), userId, ...text, ...state, createdAt: now, updatedAt: now };
    const created = { ...toWebhook(row), secret: secrets.current };
    const headers = { location: locationOf(created), 'cache-control': 'no-store' };
    await this.mongo.transaction(async (tx) => {
      // Concurrent requests may exceed the limit slightly, which is acceptable.
      const limit = isSiteWide ? MAX_SITE_WIDE : MAX_WEBHOOKS;
      const others = isSiteWide ? { isSiteWide } : { userId, isSiteWide };
      if ((await this.webhooks.countDocuments(others, { limit, session: tx.session })) >= limit)
        throw new CodedError('too_many_webhooks', tooMany(isSiteWide));
      await this.webhooks.insertOne(row, { session: tx.session });
      this.receivers.invalidate(tx);
      tx.storeResponse(idempotencyKey, { status: 201, headers, body: created });
    });
    return created;
  }

  /** @throws CodedError `webhook_not_found`, `precondition_failed`, `invalid_webhook_url`, `invalid_webhook_events`, `forbidden` */
  async update(viewer: Viewer, _id: ObjectId, edit: UpdateWebhook, ifMatch?: string): Promise<WebhookRow> {
    if (edit.url !== undefined) this.requireAllowed(edit.url);
    return this.mongo.transaction(async (tx) => {
      const row = await this.get(viewer, _id, tx);
      requireVersion(ifMatch, row.version, 'The webhook');
      requireEventsOf(row.isSiteWide, edit.events ?? []);
      const start = edit.isEnabled === true || edit.url !== undefined ? { failingSince: null, isSlow: false } : {};
      const isOn = edit.isEnabled === undefined ? {} : { isEnabled: edit.isEnabled, disabledReason: null };
      const { url = row.url, events = row.events, description = row.description } = edit;
      const $set = { url, events, description, ...start, ...isOn, version: row.version + 1, updatedAt: new Date() };
      await this.webhooks.updateOne({ _id }, { $set }, { session: tx.session, runValidators: true });
      this.receivers.invalidate(tx);
      return { ...row, ...$set };
    });
  }

  /** @param failingSince disables only if this is still its first failure. @returns whether the webhook was enabled */
  async disable(
    _id: ObjectId,
    disabledReason: DisabledReason,
    failingSince: Date | undefined,
    tx: Transaction,
  ): Promise<boolean> {
    const filter = { _id, isEnabled: true, ...(failingSince && { failingSince }) };
    const change = { $set: { isEnabled: false, disabledReason, updatedAt: new Date() }, $inc: { version: 1 } };
    const { matchedCount } = await this.webhooks.updateOne(filter, change, { session: tx.session });
    if (matchedCount > 0) this.receivers.invalidate(tx);
    return matchedCount > 0;
  }

  /** @throws CodedError `webhook_not_found` */
  async delete({ _id: userId }: Viewer, _id: ObjectId): Promise<void> {
    if ((await this.deleteMatching({ _id, userId })) === 0) throw notFound();
  }

  async deleteAllOf(userId: ObjectId): Promise<void> {
    await this.deleteMatching({ userId });
  }

  /** The previous secret also signs for 24 hours. @throws CodedError `webhook_not_found` */
  async rotate(viewer: Viewer, _id: ObjectId): Promise<NewWebhook> {
    return this.mongo.transaction(async (tx) => {
      const row = await this.get(viewer, _id, tx);
      const stored = await findOne(this.webhooks, { _id }, { sealed: 1 }, { session: tx.session });
      const updatedAt = new Date();
      const secrets = newSecrets(this.secretsOf(stored!), updatedAt.getTime());
      const $set = { sealed: this.encrypt(secrets), version: row.version + 1, updatedAt };
      await this.webhooks.updateOne({ _id }, { $set }, { session: tx.session });
      return { row: { ...row, version: $set.version, updatedAt }, secret: secrets.current };
    });
  }

  /** Returns null if the secrets were encrypted with a key that is no longer configured. */
  secretsOf({ sealed }: Pick<Webhook, 'sealed'>): WebhookSecrets | null {
    return this.encryptor.decrypt(sealed.buffer) as WebhookSecrets | null;
  }

  /**
   * Encrypts every secret with the first key, so that the other keys can be removed.
   * @returns the number of secrets, and the accounts with a secret that needs a key that is not configured
   */
  async reencryptAll(): Promise<{ reencrypted: number; lost: ObjectId[] }> {
    let reencrypted = 0;
    const lost: ObjectId[] = [];
    for await (const { _id, userId, sealed } of streamMany(this.webhooks, {}, { userId: 1, sealed: 1 })) {
      const secrets = this.secretsOf({ sealed });
      if (secrets === null) {
        if (sealed.length() > WITHOUT_SECRET.length) lost.push(userId);
        continue;
      }
      // A secret that was rotated since its read already uses the first key.
      await this.webhooks.updateOne({ _id, sealed }, { $set: { sealed: this.encrypt(secrets) } });
      reencrypted++;
    }
    return { reencrypted, lost };
  }

  private async deleteMatching(filter: { _id?: ObjectId; userId: ObjectId }): Promise<number> {
    return this.mongo.transaction(async (tx) => {
      const rows = await findMany(this.webhooks, filter, { _id: 1 }, { session: tx.session });
      const ids = rows.map(({ _id }) => _id);
      await tx.delete(this.webhooks.collection, ids);
      if (ids.length > 0) this.receivers.invalidate(tx);
      tx.addTasks(WEBHOOK_DELETED, ids);
      return ids.length;
    });
  }

  private encrypt(secrets: WebhookSecrets): Binary {
    return new Binary(this.encryptor.encrypt(secrets));
  }

  private requireAllowed(url: string): void {
    try {
      this.outgoing.requireAllowed(url, 'https');
    } catch (error) {
      const { message } = error as OutgoingError;
      throw new CodedError('invalid_webhook_url', message, { fields: [{ field: 'url', message }] });
    }
  }
}

function requireMayOwn(viewer: Viewer, isSiteWide: boolean): void {
  if (isSiteWide && !hasRole(viewer, 'admin'))
    throw new CodedError(
      'forbidden',
      'Only admins have site-wide webhooks. An API token also needs the scope moderation.',
    );
}

function requireEventsOf(isSiteWide: boolean, events: readonly WebhookEvent[]): void {
  const wrong = events.filter((event) => !isEventOf(isSiteWide, event));
  if (wrong.length === 0) return;
  const message = `${wrong.join(', ')} ${wrong.length === 1 ? 'is' : 'are'} only for ${isSiteWide ? 'webhooks of an account' : 'site-wide webhooks'}`;
  throw new CodedError('invalid_webhook_events', `events: ${message}.`, { fields: [{ field: 'events', message }] });
}

function tooMany(isSiteWide: boolean): string {
  const limit = isSiteWide
    ? `The site has at most ${MAX_SITE_WIDE} site-wide`
    : `An account has at most ${MAX_WEBHOOKS}`;
  return `${limit} webhooks. Delete one first.`;
}

function notFound(): CodedError {
  return new CodedError('webhook_not_found', 'Webhook not found.');
}
